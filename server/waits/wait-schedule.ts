import type { Key } from "../../lib/keys/key.ts";

/**
 * Time in ms after which the waiters of an unchanged lock are read again. A wait can end without an event if its client
 * is killed.
 */
const REREAD_AFTER_MS = 5000;
/** Maximum number of locks whose waiters are read. */
const KEYS_MAX = 10_000;
/** Maximum number of omitted locks that are tracked. */
const LEFT_OUT_MAX = 100_000;

/**
 * Schedules when the waiters of each lock are read. Times are in ms on the monotonic clock.
 *
 * Locks that have changed are read before unchanged locks, so that a new wait is found promptly, regardless of how many
 * locks have waiters.
 */
export class WaitSchedule {
  /** Time at which each changed lock is due to be read. */
  readonly #marked = new Map<Key, number>();
  /** Time at which each unchanged lock with waiters is due to be read again, earliest first. */
  readonly #known = new Map<Key, number>();
  readonly #leftOut = new Set<Key>();

  /** @param keysMax maximum number of scheduled locks. Additional locks are omitted until there is room */
  constructor(private readonly keysMax = KEYS_MAX) {}

  /** Number of locks whose waiters are scheduled to be read. */
  get size(): number {
    return this.#marked.size + this.#known.size;
  }

  /**
   * Up to 100,000 locks that are not read, because too many other locks have waiters. Some of these locks may no longer
   * have waiters.
   */
  get leftOut(): ReadonlySet<Key> {
    return this.#leftOut;
  }

  has(key: Key): boolean {
    return this.#marked.has(key) || this.#known.has(key);
  }

  /**
   * Schedules a changed lock to be read at `dueAt`, or earlier if the lock is already marked for an earlier time. Omits
   * a new lock if the schedule is full.
   */
  mark(key: Key, dueAt: number): void {
    if (!this.has(key) && this.size >= this.keysMax) {
      if (this.#leftOut.size < LEFT_OUT_MAX) this.#leftOut.add(key);
      return;
    }
    this.#known.delete(key);
    this.#marked.set(key, Math.min(this.#marked.get(key) ?? dueAt, dueAt));
  }

  /** Returns up to `max` locks to read now, and schedules their next read. */
  takeDue(now: number, max: number): Key[] {
    const due: Key[] = [];
    for (const [key, dueAt] of this.#marked) {
      if (due.length === max) break;
      if (dueAt <= now) due.push(key);
    }
    for (const [key, dueAt] of this.#known) {
      if (due.length === max || dueAt > now) break;
      due.push(key);
    }
    this.setRead(due, now);
    return due;
  }

  /** Schedules the next read of locks that are being read now. */
  setRead(keys: readonly Key[], now: number): void {
    const dueAt = now + Math.max(REREAD_AFTER_MS, this.size);
    for (const key of keys) {
      this.#marked.delete(key);
      // Moves the key to the end.
      this.#known.delete(key);
      this.#known.set(key, dueAt);
    }
  }

  /**
   * Removes a lock that had no waiters when it was read, unless the lock has changed since. If there is room, schedules
   * locks that were omitted.
   */
  remove(key: Key, now: number): void {
    if (!this.#known.delete(key)) return;
    for (const next of this.#leftOut) {
      if (this.size >= this.keysMax) break;
      this.#leftOut.delete(next);
      this.mark(next, now);
    }
  }
}
