/** Number of durations to compare. A single command may have waited for other clients or for this process. */
const JUDGED_BY = 4;

/** Estimates the duration of a repeated command as the shortest of its last four durations. */
export class RecentCosts {
  readonly #tookMs: number[] = [];

  /** Records a duration. @returns the new estimate, in ms */
  record(tookMs: number): number {
    this.#tookMs.push(tookMs);
    if (this.#tookMs.length > JUDGED_BY) this.#tookMs.shift();
    return Math.min(...this.#tookMs);
  }
}
