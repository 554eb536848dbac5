const PARTS = 64;

/**
 * Measures how long a new key can stay unnoticed: the longest time between two consecutive scans of the same part of
 * the keyspace. Times are `performance.now()`.
 */
export class PassCoverage {
  /** Start time of the last complete scan, followed by the time at which the scan had read each part. */
  #last: readonly number[] | undefined;
  #current: number[] = [];
  #gapMs: number | undefined;

  /** Starts recording a scan. The scan counts only if `completePass` is called. */
  startPass(): void {
    this.#current = [performance.now()];
  }

  /** Records that the keyspace has been read up to this share. @param share from 0 to 1 */
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
   * Longest time, in ms, for which a new key can stay unnoticed. `undefined` until two scans are complete. Grows while
   * a scan takes longer than the previous scan.
   */
  get gapMs(): number | undefined {
    if (this.#gapMs === undefined) return undefined;
    const oldest = this.#last?.[Math.max(0, this.#current.length - 1)] ?? performance.now();
    return Math.ceil(Math.max(this.#gapMs, performance.now() - oldest));
  }

  /** Discards all recorded scans. */
  reset(): void {
    this.#last = undefined;
    this.#current = [];
    this.#gapMs = undefined;
  }
}
