import { bytesOfKey, isBinary, type Key, textOfKey } from "../../lib/keys/key.ts";
import type { RedisArgument } from "../redis/commands.ts";
import { argumentOf } from "../redis/script.ts";

/** Everything of ours begins so on a target. */
export const OURS = "lockkeeper:";
/** Everything of ours begins so in the home store. */
export const OURS_AT_HOME = "{lockkeeper}:";

const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

/** Why a key cannot be written to; undefined when it can. */
export function unmappable(key: Key): string | undefined {
  if (key === "") return "it is empty, so no companion can share its slot";
  const text = textOfKey(key);
  if (text.startsWith(OURS) || text.startsWith(OURS_AT_HOME))
    return `keys that begin with ${OURS} are Lockkeeper's own`;
  if (text.startsWith("redisson_"))
    return "keys that begin with redisson_ are Redisson's own companions of locks";
  if (!isBinary(key) && !key.includes("{") && !key.includes("}")) return undefined;
  const bytes = bytesOfKey(key);
  const open = bytes.indexOf(BRACE_OPEN);
  const close = bytes.indexOf(BRACE_CLOSE);
  if (open < 0 && close < 0) return undefined;
  if (open < 0 || (close >= 0 && close < open))
    return "a } stands before the first {, so no companion can share its slot";
  if (close < 0) return "its { is never closed, so no companion can share its slot";
  if (close === open + 1) return "its first {} is empty, so no companion can share its slot";
  return undefined;
}

/**
 * The name of something that belongs to a lock and must be in its cluster slot: `prefix:{key}`, or
 * `prefix:{tag}:key` for a key with a hash tag. Injective for keys that are not `unmappable`: in the first form
 * the braces are the last ones, in the second the key after them holds its own.
 */
export function companionOf(prefix: string, key: Key): RedisArgument {
  if (!isBinary(key) && !key.includes("{")) return `${prefix}:{${key}}`;
  const bytes = bytesOfKey(key);
  const open = bytes.indexOf(BRACE_OPEN);
  if (open < 0) return joined(key, `${prefix}:{`, bytes, "}");
  const tag = bytes.subarray(open, bytes.indexOf(BRACE_CLOSE, open) + 1);
  return joined(key, `${prefix}:`, Buffer.concat([tag, Buffer.from(":"), bytes]), "");
}

/** As Redisson names what belongs to a lock: `prefix:{key}`, or `prefix:key` when the key has a brace. */
export function redissonNameOf(prefix: string, key: Key): RedisArgument {
  if (!isBinary(key) && !key.includes("{")) return `${prefix}:{${key}}`;
  const bytes = bytesOfKey(key);
  const open = bytes.indexOf(BRACE_OPEN) < 0 ? "{" : "";
  return joined(key, `${prefix}:${open}`, bytes, open === "" ? "" : "}");
}

function joined(key: Key, before: string, bytes: Uint8Array, after: string): RedisArgument {
  const whole = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
  return isBinary(key) ? whole : whole.toString("utf8");
}

const COMPANION = `${OURS}hold`;

/** A lock and its companion. */
export type Pair = [RedisArgument, RedisArgument];

export const pairOf = (key: Key): Pair => [argumentOf(key), companionKeyOf(key)];

const WAITERS = `${OURS}waiters`;

export const waitersKeyOf = (key: Key) => companionOf(WAITERS, key);
export const companionKeyOf = (key: Key) => companionOf(COMPANION, key);
export const fencedCounterKeyOf = (key: Key) => redissonNameOf("redisson_lock_token", key);
export const wakeChannelOf = (key: Key) => redissonNameOf("redisson_lock__channel", key);

/** Where Redisson puts a suffix, and not a prefix. */
export function redissonSuffixOf(key: Key, suffix: string): RedisArgument {
  const bytes = bytesOfKey(key);
  if (bytes.indexOf(BRACE_OPEN) >= 0) return joined(key, "", bytes, suffix);
  return joined(key, "{", bytes, `}${suffix}`);
}

/** What read.lua looks at beside a lock and its companion. */
export const besideOf = (key: Key): RedisArgument[] => [
  waitersKeyOf(key),
  fencedCounterKeyOf(key),
  redissonNameOf("redisson_lock_queue", key),
  redissonSuffixOf(key, ":timeout"),
];

/** Pub/sub knows no databases, so the channel names it. */
export const eventChannelOf = (db: number) => `${OURS}events:${db}`;

// What libraries keep beside their locks; never locks themselves.
const ASIDE = [
  OURS,
  OURS_AT_HOME,
  "redisson_unlock_latch:",
  "redisson_lock_queue:",
  "redisson_lock_timeout:",
  "redisson_lock_token:",
  "lock-signal:",
  "symfony_check_support_time",
  "rq:clean_registries:",
];
const ASIDE_SHAPES = [
  /:rwlock_timeout:\d+$/,
  /:stalled-check$/,
  /(?:^|:)uniquejobs:(?:digests|expiring_digests|changelog|reaper|live|dead)$/,
  // Of sidekiq-unique-jobs, whose lock ends with :LOCKED.
  /(?:^|:)uniquejobs:[0-9a-f]{32,64}(?::RUN)?(?::(?:QUEUED|PRIMED|INFO))?$/,
];

export function standsAside(key: Key): boolean {
  const text = textOfKey(key);
  return ASIDE.some((prefix) => text.startsWith(prefix)) || ASIDE_SHAPES.some((shape) => shape.test(text));
}
