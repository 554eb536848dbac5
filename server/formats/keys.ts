import { encodeKey, formatKey, isBinaryKey, type Key } from "../../lib/keys/key.ts";
import type { RedisArgument } from "../redis/commands.ts";
import { toRedisArgument } from "../redis/script.ts";

/** Prefix of Lockkeeper's own keys on a target, such as companions. */
export const TARGET_PREFIX = "lockkeeper:";
/** The key that Lockkeeper writes before each WAIT command. On a cluster, a hash tag is appended. */
export const REPLICA_WAIT_KEY = `${TARGET_PREFIX}replica-wait`;
/** Prefix of all keys in the home store. */
export const HOME_PREFIX = "{lockkeeper}:";

const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

/** Returns the reason why Lockkeeper cannot use a key as a lock; `undefined` if Lockkeeper can use it. */
export function findKeyFault(key: Key): string | undefined {
  if (key === "") return "it is empty, so no companion can share its slot";
  const text = formatKey(key);
  if (text.startsWith(TARGET_PREFIX) || text.startsWith(HOME_PREFIX))
    return `keys that begin with ${TARGET_PREFIX} are reserved for Lockkeeper`;
  if (REDISSON_AUXILIARY.some((prefix) => text.startsWith(prefix)))
    return "its prefix is that of auxiliary keys of Redisson";
  if (!isBinaryKey(key) && !key.includes("{") && !key.includes("}")) return undefined;
  const bytes = encodeKey(key);
  const open = bytes.indexOf(BRACE_OPEN);
  const close = bytes.indexOf(BRACE_CLOSE);
  if (open < 0 && close < 0) return undefined;
  if (open < 0 || (close >= 0 && close < open))
    return "a } precedes the first {, so no companion can share its slot";
  if (close < 0) return "its { is never closed, so no companion can share its slot";
  if (close === open + 1) return "its first {} is empty, so no companion can share its slot";
  return undefined;
}

/**
 * Returns the name of a key that belongs to a lock and is in the same cluster slot. The name is `prefix:{key}`, or
 * `prefix:{tag}:key` for a key with a hash tag. Two keys that `findKeyFault` accepts never have the same name: a name
 * of the first form ends with its only closing brace, and in the second form, the key after the tag also contains
 * braces.
 */
export function buildColocatedKey(prefix: string, key: Key): RedisArgument {
  if (!isBinaryKey(key) && !key.includes("{")) return `${prefix}:{${key}}`;
  const bytes = encodeKey(key);
  const open = bytes.indexOf(BRACE_OPEN);
  if (open < 0) return joinBytes(key, `${prefix}:{`, bytes, "}");
  const tag = bytes.subarray(open, bytes.indexOf(BRACE_CLOSE, open) + 1);
  return joinBytes(key, `${prefix}:`, Buffer.concat([tag, Buffer.from(":"), bytes]), "");
}

/**
 * Returns the name of an auxiliary key of Redisson: `prefix:{key}`, or `prefix:key` if `key` contains an opening brace.
 */
export function buildRedissonKey(prefix: string, key: Key): RedisArgument {
  if (!isBinaryKey(key) && !key.includes("{")) return `${prefix}:{${key}}`;
  const bytes = encodeKey(key);
  const open = bytes.indexOf(BRACE_OPEN) < 0 ? "{" : "";
  return joinBytes(key, `${prefix}:${open}`, bytes, open === "" ? "" : "}");
}

function joinBytes(key: Key, before: string, bytes: Uint8Array, after: string): RedisArgument {
  const whole = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
  return isBinaryKey(key) ? whole : whole.toString("utf8");
}

/** The hash tag at the start of all keys in the home store. */
const HOME_TAG = "{lockkeeper}";

/**
 * Returns whether the key is reserved for Lockkeeper's own data. Such a key is never a lock, even if a format rule
 * matches it.
 */
export function isOwnKey(key: Key): boolean {
  const text = formatKey(key);
  return text.startsWith(TARGET_PREFIX) || text.startsWith(HOME_TAG);
}

const COMPANION = `${TARGET_PREFIX}hold`;
const HOLDER_COMPANION = `${TARGET_PREFIX}holder`;

/** The keys of a lock and its companion. */
export type LockKeyPair = [RedisArgument, RedisArgument];

export const buildLockKeyPair = (key: Key): LockKeyPair => [toRedisArgument(key), buildCompanionKey(key)];

const WAITERS = `${TARGET_PREFIX}waiters`;
const WRITERS = `${TARGET_PREFIX}writers`;

const FAIR_HEARTBEATS = `${TARGET_PREFIX}fair`;

/** Returns the name of the key that stores the heartbeats of Lockkeeper's waiters for a fair lock. */
export const buildFairHeartbeatsKey = (key: Key) => buildColocatedKey(FAIR_HEARTBEATS, key);
export const buildWaitersKey = (key: Key) => buildColocatedKey(WAITERS, key);
/** Returns the name of the sorted set of writers waiting for a read/write lock. New readers can give way to them. */
export const buildWritersKey = (key: Key) => buildColocatedKey(WRITERS, key);
export const buildCompanionKey = (key: Key) => buildColocatedKey(COMPANION, key);
/**
 * Returns the name of a hold's companion, for locks whose holds share a key. The name is unique, because tokens contain
 * no braces.
 *
 * @param token `<uuid>:<number>`, the owner of a reservation (`lockkeeper:reserve:<name>`), or the hexadecimal id of a
 *   Redisson permit
 */
export const buildHolderCompanionKey = (key: Key, token: string) =>
  buildColocatedKey(`${HOLDER_COMPANION}:${token}`, key);
export const buildFencedCounterKey = (key: Key) => buildRedissonKey("redisson_lock_token", key);
export const buildWakeChannel = (key: Key) => buildRedissonKey("redisson_lock__channel", key);
/** Returns the channel on which the waiters of a read/write lock listen. */
export const buildReadWriteChannel = (key: Key) => buildRedissonKey("redisson_rwlock", key);

/** Builds the keys of a fair lock's queue: the list of waiters, and the sorted set of their timeouts. */
export const buildFairQueueKeys = (key: Key): [queue: RedisArgument, ends: RedisArgument] => [
  buildRedissonKey("redisson_lock_queue", key),
  buildRedissonKey("redisson_lock_timeout", key),
];

/**
 * The prefix of the keys that store the timeouts of fair queues. The timeouts change whenever a client enters or leaves
 * the queue. Lockkeeper watches the timeouts instead of the list that stores the queue, because notifications for lists
 * may be disabled.
 */
export const QUEUE_TIMEOUTS_PREFIX = "redisson_lock_timeout:";

/**
 * Returns the lock whose queue timeouts are stored in the key `name`; `undefined` if `name` is binary or does not start
 * with `QUEUE_TIMEOUTS_PREFIX`.
 */
export function parseQueueKey(name: Key): Key | undefined {
  if (isBinaryKey(name) || !name.startsWith(QUEUE_TIMEOUTS_PREFIX)) return undefined;
  const rest = name.slice(QUEUE_TIMEOUTS_PREFIX.length);
  const inner = rest.slice(1, -1);
  const isWrapped = rest.startsWith("{") && rest.endsWith("}") && !/[{}]/.test(inner);
  return isWrapped ? inner : rest;
}

/**
 * Returns a pattern for the keys that store the queue timeouts of all locks that match `pattern`. `pattern` must not
 * contain braces.
 */
export const buildQueuePattern = (pattern: string) => `${QUEUE_TIMEOUTS_PREFIX}{${pattern}}`;

/** Builds the auxiliary keys of a fair lock: the keys of its queue, and the heartbeats of Lockkeeper's waiters. */
export const buildFairKeys = (key: Key): RedisArgument[] => [
  ...buildFairQueueKeys(key),
  buildFairHeartbeatsKey(key),
];

/**
 * Returns the channel of one waiter for a fair lock.
 *
 * @param waiter the id of the waiter in the queue of the lock
 */
export function buildFairWakeChannel(key: Key, waiter: string): RedisArgument {
  const channel = buildWakeChannel(key);
  if (Buffer.isBuffer(channel)) return Buffer.concat([channel, Buffer.from(`:${waiter}`)]);
  return `${channel}:${waiter}`;
}

/** Returns the name of the sorted set with the permits of a plain semaphore that are held through Lockkeeper. */
export const buildPlainPermitsKey = (key: Key) => buildColocatedKey(`${TARGET_PREFIX}permits`, key);

/**
 * Returns the name of an auxiliary key of Redisson with a suffix: `{key}` and the suffix, or only the key and the
 * suffix if the key contains an opening brace.
 */
export function buildRedissonSuffixKey(key: Key, suffix: string): RedisArgument {
  const bytes = encodeKey(key);
  if (bytes.indexOf(BRACE_OPEN) >= 0) return joinBytes(key, "", bytes, suffix);
  return joinBytes(key, "{", bytes, `}${suffix}`);
}

/** Returns the auxiliary keys that read.lua reads in addition to a lock and its companion. */
export const buildAuxiliaryKeys = (key: Key): RedisArgument[] => [
  buildWaitersKey(key),
  buildFencedCounterKey(key),
  buildRedissonKey("redisson_lock_queue", key),
  buildRedissonSuffixKey(key, ":timeout"),
  buildFairHeartbeatsKey(key),
  buildPlainPermitsKey(key),
];

/**
 * Returns the channel for events of one database. Its name contains the database number, because Pub/Sub ignores
 * databases.
 */
export const buildEventChannel = (db: number) => `${TARGET_PREFIX}events:${db}`;

/**
 * The channel for the ids of waits that end because of a deadlock. All databases share the channel, because Pub/Sub
 * ignores databases. This causes no conflicts, because the ids are unique.
 */
export const DEADLOCK_CHANNEL = `${TARGET_PREFIX}deadlocks`;

const CLIENT_TOKEN = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):\d+(?::write)?$/;

/**
 * Returns the channel that notifies a library client when an operator force-releases one of its holds or requests a
 * release.
 */
export const buildClientChannel = (clientId: string) => `${TARGET_PREFIX}client:${clientId}`;

/**
 * Returns the channel of the client that created the token; `undefined` if the token does not have the form
 * `<uuid>:<number>` or `<uuid>:<number>:write`. Tokens of Redisson can also have this form.
 */
export function buildTokenChannel(token: string): string | undefined {
  const clientId = CLIENT_TOKEN.exec(token)?.[1];
  return clientId === undefined ? undefined : buildClientChannel(clientId);
}

// Auxiliary keys of libraries. They are never locks.
const REDISSON_AUXILIARY = [
  "redisson_unlock_latch:",
  "redisson_lock_queue:",
  "redisson_lock_timeout:",
  "redisson_lock_token:",
];
const AUXILIARY_PREFIXES = [
  TARGET_PREFIX,
  HOME_PREFIX,
  ...REDISSON_AUXILIARY,
  "lock-signal:",
  "symfony_check_support_time",
  "rq:clean_registries:",
  "@simple-redis-mutex:fencing-tokens",
];
const AUXILIARY_PATTERNS = [
  /:rwlock_timeout:\d+$/,
  /:stalled-check$/,
  /(?:^|:)uniquejobs:(?:digests|expiring_digests|changelog|reaper|live|dead)$/,
  // sidekiq-unique-jobs. The lock itself is the key that ends with :LOCKED.
  /(?:^|:)uniquejobs:[0-9a-f]{32,64}(?::RUN)?(?::(?:QUEUED|PRIMED|INFO))?$/,
];

export function isAuxiliaryKey(key: Key): boolean {
  const text = formatKey(key);
  return (
    AUXILIARY_PREFIXES.some((prefix) => text.startsWith(prefix)) ||
    AUXILIARY_PATTERNS.some((shape) => shape.test(text))
  );
}
