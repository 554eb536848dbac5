import type { Key } from "../../../lib/keys/key.ts";

/** Delay of a cancellable read in ms. If clients use the API at a high rate, most holds are shorter than this delay. */
const DELAY_MS = 20;

/**
 * Delayed reads of keys whose only change was made by a verb that this process ran. The next verb often makes such a
 * read unnecessary. If a key is already being read, that read may show the state between two verbs, so the key must be
 * read again.
 */
export class CancellableReads {
  /** Time (`performance.now()`) at which each key is due for reading, earliest first. */
  readonly #dueAt = new Map<Key, number>();
  /** Number of reads in progress for each key. */
  readonly #reading = new Map<Key, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param enqueue enqueues a read that cannot be cancelled */
  constructor(private readonly enqueue: (key: Key) => void) {}

  get keys(): Iterable<Key> {
    return this.#dueAt.keys();
  }

  add(key: Key): void {
    this.#dueAt.delete(key);
    this.#dueAt.set(key, performance.now() + DELAY_MS);
    this.#timer ??= setTimeout(this.#enqueueDue, DELAY_MS);
  }

  /** Cancels the pending read of a key. @returns whether a read was pending */
  remove(key: Key): boolean {
    return this.#dueAt.delete(key);
  }

  /** Enqueues all delayed reads immediately. */
  enqueueAll(): void {
    for (const key of [...this.#dueAt.keys()]) this.enqueue(key);
  }

  clear(): void {
    this.#dueAt.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  isReading(key: Key): boolean {
    return this.#reading.has(key);
  }

  /** Runs `read` and marks the keys as being read until `read` settles. Cancels the keys' delayed reads. */
  async duringRead<Result>(keys: readonly Key[], read: () => Promise<Result>): Promise<Result> {
    for (const key of keys) {
      this.#dueAt.delete(key);
      this.#reading.set(key, (this.#reading.get(key) ?? 0) + 1);
    }
    try {
      return await read();
    } finally {
      for (const key of keys) {
        const others = (this.#reading.get(key) ?? 1) - 1;
        if (others === 0) this.#reading.delete(key);
        else this.#reading.set(key, others);
      }
    }
  }

  readonly #enqueueDue = () => {
    this.#timer = undefined;
    const now = performance.now();
    for (const [key, dueAt] of this.#dueAt) {
      if (dueAt > now) {
        this.#timer = setTimeout(this.#enqueueDue, dueAt - now);
        return;
      }
      this.#dueAt.delete(key);
      this.enqueue(key);
    }
  };
}
