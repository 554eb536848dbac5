import { type Key, textOfKey } from "../../../lib/keys/key.ts";

const WORDS: ReadonlySet<string> = new Set([
  ...["lock", "locks", "locked", "locking", "redlock", "spinlock", "rwlock", "distlock"],
  ...["mutex", "mutexes", "semaphore", "semaphores", "lease", "leases", "leader", "leadership"],
]);

/** Whether a word of the key says that it is a lock: of `lock:a`, `orders.mutex`, `orderLock`, not of `clock:a`. */
export function isLockLike(key: Key): boolean {
  const words = textOfKey(key)
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .split(/[^A-Za-z]+/);
  return words.some((word) => WORDS.has(word.toLowerCase()));
}
