import { OURS } from "../formats/keys.ts";
import type { Master } from "../redis/master.ts";

type Redis = Master["redis"];

/** What looking needs. None of these changes anything: the key is never there. */
const READING: readonly (readonly [command: string, ...rest: string[]])[] = [
  ["SCAN", "0", "COUNT", "1"],
  ["TYPE", "KEY"],
  ["PTTL", "KEY"],
  ["GET", "KEY"],
  ["HGETALL", "KEY"],
  ["ZRANGE", "KEY", "0", "0"],
  ["SMEMBERS", "KEY"],
  ["LRANGE", "KEY", "0", "0"],
  ["EVALSHA", "0".repeat(40), "0"],
  ["SCRIPT LOAD", "return 1"],
  ["TIME"],
  ["PUBSUB NUMSUB", `${OURS}health`],
];

/** What locking needs besides, asked for in a way that does nothing where the key is not there. */
const WRITING: readonly (readonly [command: string, ...rest: string[]])[] = [
  ["SET", "KEY", "", "XX", "PX", "1"],
  ["DEL", "KEY"],
  ["PEXPIRE", "KEY", "1"],
  ["HDEL", "KEY", "field"],
  ["LREM", "KEY", "0", "entry"],
  ["ZREM", "KEY", "member"],
  ["PUBLISH", `${OURS}health`, ""],
];

/** Each refusal goes to the log that administrators read, so it is not asked for again soon. */
const KNOWN_MS = 10 * 60_000;
const known = new WeakMap<Redis, { at: number; missing: readonly string[] }>();

/** The commands that this user may not run. @throws when Redis does not answer */
export async function missingRights(
  redis: Redis,
  policy: "reads" | "writes",
  tag: string | undefined,
): Promise<readonly string[]> {
  const before = known.get(redis);
  if (before !== undefined && performance.now() - before.at < KNOWN_MS) return before.missing;
  const key = tag === undefined ? `${OURS}health` : `${OURS}health:{${tag}}`;
  const commands = policy === "writes" ? [...READING, ...WRITING] : READING;
  const tried = await Promise.all(
    commands.map(async ([command, ...rest]) => {
      const [name = command, ...words] = command.split(" ");
      const given = [...words, ...rest.map((argument) => (argument === "KEY" ? key : argument))];
      return (await mayRun(redis, name, given)) ? [] : [command];
    }),
  );
  const missing = tried.flat();
  known.set(redis, { at: performance.now(), missing });
  return missing;
}

async function mayRun(redis: Redis, command: string, given: readonly string[]): Promise<boolean> {
  try {
    await redis.call(command, ...given);
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("NOPERM")) return false;
    // Any other answer is one of a command that was run, or sent elsewhere.
    if (error instanceof Error && error.name === "ReplyError") return true;
    throw error;
  }
}
