import { setTimeout as sleep } from "node:timers/promises";

/** Lets work take a share of the time. What was not used is saved, so that little work after a rest is done at once. */
export class TimeBudget {
  #savedMs: number;
  #updatedAt = performance.now();

  /** @param maxSavedMs how much work may be done in a row after a long rest */
  constructor(
    private readonly share: number,
    private readonly maxSavedMs: number,
  ) {
    this.#savedMs = maxSavedMs;
  }

  /** Waits until so much work is paid for. */
  async spend(workedMs: number, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    this.#savedMs =
      Math.min(this.maxSavedMs, this.#savedMs + (now - this.#updatedAt) * this.share) - workedMs;
    this.#updatedAt = now;
    if (this.#savedMs < 0) await sleep(-this.#savedMs / this.share, undefined, { signal, ref: false });
  }
}
