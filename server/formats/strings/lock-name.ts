import { formatKey, KEY_BYTES_MAX, type Key } from "../../../lib/keys/key.ts";

const LOCK_WORDS: ReadonlySet<string> = new Set([
  ...["lock", "locks", "redlock", "spinlock", "rwlock", "distlock", "dlock"],
  ...["mutex", "mutexes", "semaphore", "semaphores", "lease", "leases", "leader", "leadership"],
]);
/** Words that describe a state and do not name a lock, as in `user:7:locked`. */
const STATE_WORDS: ReadonlySet<string> = new Set(["locked", "locking"]);
/** Words that follow `lock` in the name of an attribute or feature, such as `lock_expires` and `lock_screen`. */
const ATTRIBUTE_WORDS: ReadonlySet<string> = new Set([
  ...["at", "until", "by", "since", "expires", "expiry", "expiration", "time", "timeout", "ttl", "duration"],
  ...["screen", "ui", "page", "theme", "icon", "widget", "status", "state", "settings", "setting", "config"],
  ...[
    "count",
    "counter",
    "attempts",
    "reason",
    "code",
    "file",
    "version",
    "history",
    "log",
    "stats",
    "board",
  ],
]);
/** Words that precede `lock` in the name of a lock file, a device, or a key that locks something else. */
const OTHER_LOCK_WORDS: ReadonlySet<string> = new Set([
  ...["yarn", "cargo", "poetry", "gemfile", "composer", "pipfile", "package", "flake", "mix", "pubspec"],
  ...[
    "podfile",
    "bun",
    "uv",
    "pdm",
    "deno",
    "smart",
    "door",
    "bike",
    "car",
    "child",
    "caps",
    "num",
    "screen",
    "dhcp",
  ],
]);
/** Words for accounts, whose locks may be lockouts: the deadline in `account_lock:7` ends a ban. */
const ACCOUNT_WORDS: ReadonlySet<string> = new Set([
  ...[
    "account",
    "accounts",
    "user",
    "users",
    "login",
    "auth",
    "password",
    "pin",
    "otp",
    "ip",
    "card",
    "member",
  ],
]);

/**
 * How strongly the name of a key suggests a lock.
 *
 * - `lock`: its first or last segment names a lock (`lock:a`, `a:lock`, `orders_lock`, `{lock_goods}:300`,
 *   `orderMutex`).
 * - `lock_or_lockout`: the last segment is below a segment that names a lock (`shop:lock:orders`), or the key also
 *   names an account (`account_lock:7`). A time in the value may be the end of a lockout.
 * - `mentions_lock`: a word such as `lock` or `mutex` is elsewhere in the name (`account:lock:7`), or describes
 *   something else (`lock_expires`).
 * - `none`: the name contains no such word.
 */
export type NameEvidence = "lock" | "lock_or_lockout" | "mentions_lock" | "none";

/**
 * Whether the key contains a word such as `lock`: true for `lock:a`, `orders.mutex`, `orderLock`, false for `clock:a`.
 */
export const hasLockLikeName = (key: Key): boolean => assessName(key) !== "none";

/** Whether the key names a lock. Returns `false` for a key that only mentions a lock, such as `lock_expires`. */
export function isNamedAsLock(key: Key): boolean {
  const evidence = assessName(key);
  return evidence === "lock" || evidence === "lock_or_lockout";
}

/** Matches every lock word, and other words. Names without a match need no further check. */
const ANY_WORD = /lock|mutex|semaphore|lease|leader/i;

/**
 * Assesses whether a key names a lock. Reads only the first 1,024 characters, because clients cannot acquire longer
 * keys.
 */
export function assessName(key: Key): NameEvidence {
  const name = formatKey(key).slice(0, KEY_BYTES_MAX);
  if (!ANY_WORD.test(name)) return "none";
  const segments = name.split(/[:|]+/).filter((segment) => segment !== "");
  const words = segments.map(parseWords);
  const all = words.flat();
  if (!all.some((word) => LOCK_WORDS.has(word) || STATE_WORDS.has(word))) return "none";
  const [first = []] = words;
  // After the first segment, a slash begins a path: `cache:page:/lock/7`.
  const last = segments.at(-1)?.includes("/") ? [] : (words.at(-1) ?? []);
  if (!beginsWithLock(first) && !endsWithLock(first) && !endsWithLock(last))
    return isBelowLock(words) ? "lock_or_lockout" : "mentions_lock";
  return !isLock(first) && all.some((word) => ACCOUNT_WORDS.has(word)) ? "lock_or_lockout" : "lock";
}

const isLock = (words: readonly string[]) => words.length === 1 && LOCK_WORDS.has(words[0] ?? "");

/**
 * Whether the last segment is below a segment that names a lock: true for `shop:lock:orders`, false for `smart:lock:7`
 * and `smart:lock:7:pairing`.
 */
function isBelowLock(words: readonly (readonly string[])[]): boolean {
  return isLock(words.at(-2) ?? []) && !OTHER_LOCK_WORDS.has(words.at(-3)?.at(-1) ?? "");
}

/** Returns the words of a segment without ids: `my` and `lock` for `my-lock-3f2a`. */
function parseWords(segment: string): string[] {
  return segment.split(/[^A-Za-z\d]+/).flatMap((token) => {
    const words = token
      .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
      .toLowerCase()
      .split(/[^a-z]+/);
    const isId = /\d[A-Za-z]/.test(token);
    return words.filter((word) => LOCK_WORDS.has(word) || (!isId && !/^[a-f]*$/.test(word)));
  });
}

const beginsWithLock = ([first = "", second = ""]: readonly string[]) =>
  LOCK_WORDS.has(first) && !ATTRIBUTE_WORDS.has(second);

const endsWithLock = (words: readonly string[]) =>
  LOCK_WORDS.has(words.at(-1) ?? "") && !OTHER_LOCK_WORDS.has(words.at(-2) ?? "");
