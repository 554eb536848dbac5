import { TARGET_PREFIX } from "../formats/keys.ts";
import type { Master } from "../redis/master.ts";

type Redis = Master["redis"];

/** Commands required for reading. Their key never exists, so they change nothing. */
const READ_COMMANDS: readonly (readonly [command: string, ...rest: string[]])[] = [
  ["SCAN", "0", "COUNT", "1"],
  ["TYPE", "KEY"],
  ["PTTL", "KEY"],
  ["GET", "KEY"],
  ["HGETALL", "KEY"],
  ["ZRANGE", "KEY", "0", "0"],
  ["SMEMBERS", "KEY"],
  ["LRANGE", "KEY", "0", "0"],
  ["MEMORY USAGE", "KEY"],
  ["SCRIPT LOAD", "return 1"],
  ["TIME"],
  ["PUBSUB NUMSUB", `${TARGET_PREFIX}health`],
];

const NO_SCRIPT = ["0".repeat(40), "0"] as const;

/** Additional commands required for locking, in a form that has no effect on a missing key. */
const WRITE_COMMANDS: readonly (readonly [command: string, ...rest: string[]])[] = [
  ["EVALSHA", ...NO_SCRIPT],
  ["SET", "KEY", "", "XX", "PX", "1"],
  ["DEL", "KEY"],
  ["PEXPIRE", "KEY", "1"],
  ["HDEL", "KEY", "field"],
  ["LREM", "KEY", "0", "entry"],
  ["ZREM", "KEY", "member"],
  ["PUBLISH", `${TARGET_PREFIX}health`, ""],
];

/** Additional commands required for confirmation by replicas, in a form that does not wait for any replica. */
const CONFIRMATION_COMMANDS: readonly (readonly [command: string, ...rest: string[]])[] = [
  ["WAIT", "0", "0"],
];

/** What Lockkeeper does on a target. `confirmed_writes`: writes that replicas confirm (the target sets `replicas`). */
export type TargetUse = "reads" | "writes" | "confirmed_writes";

const COMMANDS: Readonly<Record<TargetUse, typeof READ_COMMANDS>> = {
  reads: READ_COMMANDS,
  writes: [...READ_COMMANDS, ...WRITE_COMMANDS],
  confirmed_writes: [...READ_COMMANDS, ...WRITE_COMMANDS, ...CONFIRMATION_COMMANDS],
};

/** Time in ms for which the result is cached. Limits the entries in the ACL log, to which Redis writes each refusal. */
const CACHE_MS = 10 * 60_000;
const cachedRights = new WeakMap<Redis, { at: number; missing: readonly string[] }>();

/**
 * Returns the commands that `use` requires but the Redis user is not allowed to run. The result is cached for ten
 * minutes.
 *
 * @param tag a hash tag in a slot of this master; `undefined` if the master serves all keys
 * @throws if Redis does not respond
 */
export async function findMissingRights(
  redis: Redis,
  use: TargetUse,
  tag: string | undefined,
): Promise<readonly string[]> {
  const before = cachedRights.get(redis);
  if (before !== undefined && performance.now() - before.at < CACHE_MS) return before.missing;
  const key = tag === undefined ? `${TARGET_PREFIX}health` : `${TARGET_PREFIX}health:{${tag}}`;
  const tried = await Promise.all(
    COMMANDS[use].map(async ([command, ...rest]) => {
      const [name = command, ...words] = command.split(" ");
      const given = [...words, ...rest.map((argument) => (argument === "KEY" ? key : argument))];
      return (await tryCommand(redis, name, given)) === "refused" ? [command] : [];
    }),
  );
  const missing = [...tried.flat(), ...(use === "reads" ? await findMissingScriptRight(redis) : [])];
  cachedRights.set(redis, { at: performance.now(), missing });
  return missing;
}

/**
 * Returns the command that the Redis user needs for read-only scripts but may not run; empty if EVALSHA_RO or EVALSHA
 * is permitted. Returns EVALSHA only if this Redis does not support EVALSHA_RO.
 */
async function findMissingScriptRight(redis: Redis): Promise<string[]> {
  const preferred = await tryCommand(redis, "EVALSHA_RO", NO_SCRIPT);
  if (preferred === "permitted" || (await tryCommand(redis, "EVALSHA", NO_SCRIPT)) === "permitted") return [];
  return [preferred === "unknown" ? "EVALSHA" : "EVALSHA_RO"];
}

async function tryCommand(
  redis: Redis,
  command: string,
  given: readonly string[],
): Promise<"permitted" | "refused" | "unknown"> {
  try {
    await redis.call(command, ...given);
    return "permitted";
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error.message.startsWith("NOPERM")) return "refused";
    if (error.message.startsWith("ERR unknown command")) return "unknown";
    // Any other error reply means that the command was permitted.
    if (error.name === "ReplyError") return "permitted";
    throw error;
  }
}
