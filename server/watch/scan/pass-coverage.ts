const PARTS = 64;

/**
 * Measures how long a new key can go unseen by passes over a keyspace: the longest time between two passes over the same
 * part of it. Moments are of performance.now().
 */
export class PassCoverage {
  /** When the last complete pass began, and when it had read each part. */
  #last: readonly number[] | undefined;
  #current: number[] = [];
  #gapMs: number | undefined;

  /** A pass begins. One that was not completed counts for nothing. */
  startPass(): void {
    this.#current = [performance.now()];
  }

  /** Everything up to this share of the keyspace has been read. */
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

  /** Undefined until two passes were completed. Grows while a pass takes longer than the one before it. */
  get gapMs(): number | undefined {
    if (this.#gapMs === undefined) return undefined;
    const oldest = this.#last?.[Math.max(0, this.#current.length - 1)] ?? performance.now();
    return Math.ceil(Math.max(this.#gapMs, performance.now() - oldest));
  }

  /** Passes from before do not count any more. */
  reset(): void {
    this.#last = undefined;
    this.#current = [];
    this.#gapMs = undefined;
  }
}
