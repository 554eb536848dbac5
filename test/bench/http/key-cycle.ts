/** Number of keys of one round over all connections. A lock is acquired again after a while, as in an application. */
const KEYS = 4096;

/**
 * The keys of one connection, in turn. No two connections share a key. A shared list of keys fails under load: a
 * connection that TCP stalls for some hundred milliseconds still uses its key when the others have gone through the
 * list, and the second acquire is refused.
 */
export class KeyCycle {
  readonly #size: number;
  #used = 0;

  constructor(
    private readonly prefix: string,
    private readonly lane: number,
    lanes: number,
  ) {
    this.#size = Math.max(1, Math.floor(KEYS / lanes));
  }

  next(): string {
    return `${this.prefix}:${this.lane}:${this.#used++ % this.#size}`;
  }
}
