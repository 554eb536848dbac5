import { encodeKey, type Key } from "../../lib/keys/key.ts";
import { computeSlot } from "../redis/cluster/slot.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import { toRedisArgument } from "../redis/script.ts";

/** Libraries whose waiters sleep until a release signals them, where a lock is one string. */
export const SIGNALLED_LIBRARIES = ["python-redis-lock", "spring", "simple-redis-mutex"] as const;
export type SignalledLibrary = (typeof SIGNALLED_LIBRARIES)[number];

/** Whose waiters the release of a hold of ours signals. */
export type FindSignalledLibraries = (key: Key) => readonly SignalledLibrary[];

/** What the scripts send at a release so that waiters of other libraries look again. */
export interface ReleaseSignals {
  /** The list that waiters are blocked on; none or one. */
  readonly keys: readonly RedisArgument[];
  /** Channels and what is published there, in turn. */
  readonly messages: readonly RedisArgument[];
}

export const NO_SIGNALS: ReleaseSignals = { keys: [], messages: [] };

/** At how many colons a name may be cut into the registry's and the lock's own. */
const CUTS_MAX = 8;

/**
 * Builds the signals of these libraries, by default of all: which library waits is often unknown, and a signal that
 * nobody waits for has no effect.
 *
 * A Redis Cluster gets no list of another slot than the lock's. python-redis-lock itself cannot release such a lock.
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

/** python-redis-lock: `lock:<name>` has `lock-signal:<name>`, each behind the prefix of the connection. */
function buildSignalList(key: Key): RedisArgument | undefined {
  const bytes = Buffer.from(encodeKey(key));
  const at = bytes.indexOf("lock:");
  if (at < 0) return undefined;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from("lock-signal:"), bytes.subarray(at + 5)]);
}

/** Spring's registry is named before one of the colons: which one, only its app knows. Since 2023 each lock has a channel. */
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

/** simple-redis-mutex: one channel for all locks. Its clients parse the message as JSON, and read nothing but the key. */
function buildSimpleMutexMessage(key: Key): readonly RedisArgument[] {
  if (!key.startsWith(SIMPLE_MUTEX_PREFIX)) return [];
  return [SIMPLE_MUTEX_CHANNEL, JSON.stringify({ key, value: "" })];
}

/**
 * Runs a script with keys that it can do without. A user who may access the lock alone gets NOPERM for them, before
 * anything ran.
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
