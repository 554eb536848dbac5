import { formatKey, type Key } from "../../../lib/keys/key.ts";

const LOCK_WORDS: ReadonlySet<string> = new Set([
  ...["lock", "locks", "redlock", "spinlock", "rwlock", "distlock", "dlock"],
  ...["mutex", "mutexes", "semaphore", "semaphores", "lease", "leases", "leader", "leadership"],
]);
/** A state rather than a lock: `user:7:locked`. */
const STATE_WORDS: ReadonlySet<string> = new Set(["locked", "locking"]);
/** What comes after `lock` in the name of an attribute or a feature, such as `lock_expires` and `lock_screen`. */
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
/** What stands before `lock` in the name of a lockfile, and of a device or a key that locks something else. */
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
  ],
]);
/** Whose locks may also be lockouts: a deadline in `account_lock:7` ends a ban. */
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
 * What the name of a key says about a lock.
 *
 * - `lock`: its first or last segment is a lock (`lock:a`, `a:lock`, `orders_lock`, `{lock_goods}:300`, `orderMutex`).
 * - `lock_of_account`: the same, and the key also names an account, so it may be a lockout (`account_lock:7`).
 * - `mentions_lock`: a lock word stands elsewhere (`account:lock:7`), or names something else (`lock_expires`).
 * - `none`: no lock word.
 */
export type NameEvidence = "lock" | "lock_of_account" | "mentions_lock" | "none";

/** Whether a word of the key says that it is a lock: of `lock:a`, `orders.mutex`, `orderLock`, not of `clock:a`. */
export const hasLockLikeName = (key: Key): boolean => assessName(key) !== "none";

/** Whether the key names a lock by its first or last segment. */
export function isNamedAsLock(key: Key): boolean {
  const evidence = assessName(key);
  return evidence === "lock" || evidence === "lock_of_account";
}

/** Assesses a name in time that is linear in its length. */
export function assessName(key: Key): NameEvidence {
  const segments = formatKey(key)
    .split(/[:|]+/)
    .filter((segment) => segment !== "");
  const words = segments.map(parseWords);
  const all = words.flat();
  if (!all.some((word) => LOCK_WORDS.has(word) || STATE_WORDS.has(word))) return "none";
  const [first = []] = words;
  // Behind the first segment a slash begins a path: `cache:page:/lock/7`.
  const last = segments.at(-1)?.includes("/") ? [] : (words.at(-1) ?? []);
  if (!beginsWithLock(first) && !endsWithLock(first) && !endsWithLock(last)) return "mentions_lock";
  const isLockAlone = first.length === 1 && LOCK_WORDS.has(first[0] ?? "");
  return !isLockAlone && all.some((word) => ACCOUNT_WORDS.has(word)) ? "lock_of_account" : "lock";
}

/** The words of a segment, without what looks like an id: `my-lock-3f2a` has `my` and `lock`. */
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
