/** Number of lock names per round, over all connections. Names are reused, as in an application. */
const KEYS = 4096;

/**
 * The lock names that one connection uses in turn. Each connection has its own names. With shared names, a connection
 * that TCP stalls for a few hundred milliseconds would still hold its lock when the others reach the same name again,
 * and their acquire requests would be rejected.
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
