import { encodeKey, type Key } from "../../lib/keys/key.ts";
import { computeSlot } from "../redis/cluster/slot.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import { toRedisArgument } from "../redis/script.ts";

/** Libraries whose string locks have waiters that sleep until a release signals them. */
export const SIGNALLED_LIBRARIES = ["python-redis-lock", "spring", "simple-redis-mutex"] as const;
export type SignalledLibrary = (typeof SIGNALLED_LIBRARIES)[number];

/** Returns the libraries whose waiters the release of a Lockkeeper hold must signal. */
export type FindSignalledLibraries = (key: Key) => readonly SignalledLibrary[];

/** The signals that scripts send on a release. They cause waiters of other libraries to try again. */
export interface ReleaseSignals {
  /** The list on which waiters of python-redis-lock block; at most one key. */
  readonly keys: readonly RedisArgument[];
  /** Channels and their messages, alternating. */
  readonly messages: readonly RedisArgument[];
}

export const NO_SIGNALS: ReleaseSignals = { keys: [], messages: [] };

/** Maximum number of colons at which a key is split into the names of a registry and a lock. */
const CUTS_MAX = 8;

/**
 * Builds the signals for the given libraries, by default for all of them. It is often unknown which library is waiting,
 * and a signal without waiters has no effect.
 *
 * On Redis Cluster, omits python-redis-lock's signal list if the list is in a different slot than the lock. In that
 * case, python-redis-lock itself cannot release the lock.
 */
export function buildReleaseSignals(
  { isCluster }: Pick<Commands, "isCluster">,
  key: Key,
  libraries: readonly SignalledLibrary[] = SIGNALLED_LIBRARIES,
): ReleaseSignals {
  if (libraries.length === 0) return NO_SIGNALS;
  const list = libraries.includes("python-redis-lock") ? buildSignalList(key) : undefined;
  const isReachable = list !== undefined && (!isCluster || isSameSlot(list, toRedisArgument(key)));
  return {
    keys: isReachable ? [list] : [],
    messages: [
      ...(libraries.includes("spring") ? buildSpringMessages(key) : []),
      ...(libraries.includes("simple-redis-mutex") ? buildSimpleMutexMessage(key) : []),
    ],
  };
}

const isSameSlot = (one: RedisArgument, other: RedisArgument) => computeSlot(one) === computeSlot(other);

/**
 * Builds the name of the list on which clients of python-redis-lock block: `lock-signal:<name>` for `lock:<name>`, each
 * after the prefix of the connection. Returns `undefined` for keys of any other form.
 */
function buildSignalList(key: Key): RedisArgument | undefined {
  const bytes = Buffer.from(encodeKey(key));
  const at = bytes.indexOf("lock:");
  if (at < 0) return undefined;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from("lock-signal:"), bytes.subarray(at + 5)]);
}

/**
 * Builds the messages for Spring, whose channels contain the name of the registry. The registry name ends before one of
 * the colons in the key. Which colon is unknown, so there is a message for each. Since 2023, each lock also has its own
 * channel.
 */
function buildSpringMessages(key: Key): readonly RedisArgument[] {
  const bytes = Buffer.from(encodeKey(key));
  const cuts: number[] = [];
  for (let at = bytes.indexOf(":"); at >= 0 && cuts.length < CUTS_MAX; at = bytes.indexOf(":", at + 1))
    cuts.push(at);
  return cuts.flatMap((at) => {
    const channel = Buffer.concat([bytes.subarray(0, at), Buffer.from("-channel")]);
    const ofLock = Buffer.concat([channel, Buffer.from(":"), bytes]);
    return [channel, toRedisArgument(key), ofLock, toRedisArgument(key)];
  });
}

const SIMPLE_MUTEX_PREFIX = "@simple-redis-mutex:lock-";
const SIMPLE_MUTEX_CHANNEL = "@simple-redis-mutex:locks-releases";

/**
 * Builds the message for simple-redis-mutex, which uses one channel for all locks. Its clients parse the message as
 * JSON and read only the field `key`.
 */
function buildSimpleMutexMessage(key: Key): readonly RedisArgument[] {
  if (!key.startsWith(SIMPLE_MUTEX_PREFIX)) return [];
  return [SIMPLE_MUTEX_CHANNEL, JSON.stringify({ key, value: "" })];
}

/**
 * Runs a script with optional keys. If the Redis user is not allowed to access these keys, Redis returns NOPERM before
 * it runs the script, and the script is run again without the keys.
 */
export async function runOrRetryWithout<Reply>(
  run: (keys: readonly RedisArgument[]) => Promise<Reply>,
  keys: readonly RedisArgument[],
): Promise<Reply> {
  try {
    return await run(keys);
  } catch (error) {
    if (keys.length === 0 || !(error instanceof Error) || !error.message.startsWith("NOPERM")) throw error;
    return await run([]);
  }
}
