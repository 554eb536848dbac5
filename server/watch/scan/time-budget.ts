import { setTimeout as sleep } from "node:timers/promises";

/**
 * Limits work to a share of the time. Unused time is saved, so that a little work after a pause does not have to
 * wait.
 */
export class TimeBudget {
  #savedMs: number;
  #updatedAt = performance.now();

  /** @param maxSavedMs maximum work without a pause after a long idle period, in ms */
  constructor(
    private readonly share: number,
    private readonly maxSavedMs: number,
  ) {
    this.#savedMs = maxSavedMs;
  }

  /** Waits until the budget covers the work. */
  async spend(workedMs: number, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    this.#savedMs =
      Math.min(this.maxSavedMs, this.#savedMs + (now - this.#updatedAt) * this.share) - workedMs;
    this.#updatedAt = now;
    if (this.#savedMs < 0) await sleep(-this.#savedMs / this.share, undefined, { signal, ref: false });
  }
}
