import type { Key } from "../../lib/keys/key.ts";

/** Waits can end without an event, because a client died. */
const REREAD_AFTER_MS = 5000;
/** The maximum number of locks whose waiters are read. */
const KEYS_MAX = 10_000;
/** The maximum number of other locks that are counted. */
const LEFT_OUT_MAX = 100_000;

/**
 * Decides which locks have their waiters read next. Times are on the monotonic clock.
 *
 * Locks that changed are read before those that are only read again, so that a new wait is found in time however many
 * locks have waiters.
 */
export class WaitSchedule {
  /** When the locks that changed are read. */
  readonly #marked = new Map<Key, number>();
  /** When the other locks with waiters are read again, in this order. */
  readonly #known = new Map<Key, number>();
  readonly #leftOut = new Set<Key>();

  /** @param keysMax the maximum number of locks to read; others are left out until there is room */
  constructor(private readonly keysMax = KEYS_MAX) {}

  /** Number of locks to read. */
  get size(): number {
    return this.#marked.size + this.#known.size;
  }

  /** The locks that are not read, because too many others have waiters. Some of them may have none any more. */
  get leftOut(): ReadonlySet<Key> {
    return this.#leftOut;
  }

  has(key: Key): boolean {
    return this.#marked.has(key) || this.#known.has(key);
  }

  /** Has a lock read at `dueAt`, or earlier if it was marked before. */
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

  /** Schedules the next read of locks that are read now. */
  setRead(keys: readonly Key[], now: number): void {
    const dueAt = now + Math.max(REREAD_AFTER_MS, this.size);
    for (const key of keys) {
      this.#marked.delete(key);
      // Moves the key to the end.
      this.#known.delete(key);
      this.#known.set(key, dueAt);
    }
  }

  /** Removes a lock that was read and has no waiters, unless it has changed since. Makes room for one that was left out. */
  remove(key: Key, now: number): void {
    if (!this.#known.delete(key)) return;
    for (const next of this.#leftOut) {
      if (this.size >= this.keysMax) break;
      this.#leftOut.delete(next);
      this.mark(next, now);
    }
  }
}
