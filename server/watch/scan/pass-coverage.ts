const PARTS = 64;

/**
 * Measures how long a new key can stay unnoticed: the longest time between two scans of any one part of the keyspace.
 * Times are `performance.now()`.
 */
export class PassCoverage {
  /** When the last complete scan started, followed by when it had read each part. */
  #last: readonly number[] | undefined;
  #current: number[] = [];
  #gapMs: number | undefined;

  /** Starts a scan, which counts only if it completes. */
  startPass(): void {
    this.#current = [performance.now()];
  }

  /** Records that everything up to this share of the keyspace has been read. */
  recordProgress(share: number): void {
    const read = Math.min(PARTS, Math.floor(share * PARTS));
    const now = performance.now();
    while (this.#current.length <= read) this.#current.push(now);
  }

  completePass(): void {
    this.recordProgress(1);
    const last = this.#last;
    if (last !== undefined) {
      const gapsMs = this.#current.slice(1).map((at, part) => at - (last[part] ?? at));
      this.#gapMs = Math.max(...gapsMs);
    }
    this.#last = this.#current;
    this.#current = [];
  }

  /**
   * How long a new key can stay unnoticed, in ms. `undefined` before two complete scans. Grows if a scan takes longer
   * than the previous one.
   */
  get gapMs(): number | undefined {
    if (this.#gapMs === undefined) return undefined;
    const oldest = this.#last?.[Math.max(0, this.#current.length - 1)] ?? performance.now();
    return Math.ceil(Math.max(this.#gapMs, performance.now() - oldest));
  }

  /** Discards previous scans. */
  reset(): void {
    this.#last = undefined;
    this.#current = [];
    this.#gapMs = undefined;
  }
}
