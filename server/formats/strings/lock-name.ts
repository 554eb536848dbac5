import { formatKey, type Key } from "../../../lib/keys/key.ts";

const LOCK_WORDS: ReadonlySet<string> = new Set([
  ...["lock", "locks", "locked", "locking", "redlock", "spinlock", "rwlock", "distlock"],
  ...["mutex", "mutexes", "semaphore", "semaphores", "lease", "leases", "leader", "leadership"],
]);

/** Whether a word of the key says that it is a lock: of `lock:a`, `orders.mutex`, `orderLock`, not of `clock:a`. */
export function hasLockLikeName(key: Key): boolean {
  const words = formatKey(key)
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .split(/[^A-Za-z]+/);
  return words.some((word) => LOCK_WORDS.has(word.toLowerCase()));
}
