import type { Key } from "../../../lib/keys/key.ts";

/**
 * Maximum number of reads of one key per interval. Without a limit, a busy lock would be read dozens of times per
 * second.
 */
const READ_LIMIT = { times: 5, withinMs: 100 };

/**
 * Delays reads of keys that were read too often recently, so that reads of other keys do not wait. Enqueues each
 * delayed key again later.
 */
export class BusyKeys {
  /**
   * Number of reads of each key in its current interval, and the start of the interval (`performance.now()`). Oldest
   * first.
   */
  readonly #recentReads = new Map<Key, { since: number; times: number }>();
  readonly #heldBack = new Set<Key>();
  readonly #requeue: (key: Key) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(again: (key: Key) => void) {
    this.#requeue = again;
  }

  get delayedKeys(): Iterable<Key> {
    return this.#heldBack;
  }

  /** @param now `performance.now()` */
  recordRead(key: Key, now: number): void {
    const known = this.#recentReads.get(key);
    if (known !== undefined && now - known.since < READ_LIMIT.withinMs) known.times++;
    else {
      this.#recentReads.delete(key);
      this.#recentReads.set(key, { since: now, times: 1 });
    }
    for (const [oldest, { since }] of this.#recentReads) {
      if (now - since < READ_LIMIT.withinMs) return;
      this.#recentReads.delete(oldest);
    }
  }

  holdBackIfBusy(key: Key): boolean {
    const known = this.#recentReads.get(key);
    if (known === undefined || known.times < READ_LIMIT.times) return false;
    if (performance.now() - known.since >= READ_LIMIT.withinMs) return false;
    this.#heldBack.add(key);
    this.#timer ??= setTimeout(() => this.#requeueHeldBack(), READ_LIMIT.withinMs / 4).unref();
    return true;
  }

  /** Drops the delayed keys without reading them. */
  clearHeldBack(): void {
    this.#heldBack.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #requeueHeldBack(): void {
    this.#timer = undefined;
    const keys = [...this.#heldBack];
    this.#heldBack.clear();
    for (const key of keys) this.#requeue(key);
  }
}
