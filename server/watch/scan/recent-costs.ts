/** Number of durations to compare, because a single command may have waited for other clients or for this process. */
const JUDGED_BY = 4;

/** Estimates the time that Redis spends on a repeated command, as the shortest of its latest durations. */
export class RecentCosts {
  readonly #tookMs: number[] = [];

  /** @returns the estimate, in milliseconds */
  record(tookMs: number): number {
    this.#tookMs.push(tookMs);
    if (this.#tookMs.length > JUDGED_BY) this.#tookMs.shift();
    return Math.min(...this.#tookMs);
  }
}
