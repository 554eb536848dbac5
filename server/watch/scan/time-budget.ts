import { setTimeout as sleep } from "node:timers/promises";

/** Limits work to a share of the time. Saves unused time so that a short task can then run without a pause. */
export class TimeBudget {
  #savedMs: number;
  #updatedAt = performance.now();

  /** @param maxSavedMs maximum saved time in ms, which is the amount of work that can run without a pause */
  constructor(
    private readonly share: number,
    private readonly maxSavedMs: number,
  ) {
    this.#savedMs = maxSavedMs;
  }

  /**
   * Subtracts the duration of completed work, in ms, from the saved time. If the saved time is then negative, waits
   * until it is 0.
   *
   * @throws if the signal aborts the wait
   */
  async spend(workedMs: number, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    this.#savedMs =
      Math.min(this.maxSavedMs, this.#savedMs + (now - this.#updatedAt) * this.share) - workedMs;
    this.#updatedAt = now;
    if (this.#savedMs < 0) await sleep(-this.#savedMs / this.share, undefined, { signal, ref: false });
  }
}
