import { setTimeout as sleep } from "node:timers/promises";

/** Lets work take a share of the time. What was not used is saved, so that little work after a rest is done at once. */
export class Pace {
  #savedMs: number;
  #at = performance.now();

  /** @param mostSavedMs how much work may be done in a row after a long rest */
  constructor(
    private readonly share: number,
    private readonly mostSavedMs: number,
  ) {
    this.#savedMs = mostSavedMs;
  }

  /** Waits until so much work is paid for. */
  async rest(workedMs: number, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    this.#savedMs = Math.min(this.mostSavedMs, this.#savedMs + (now - this.#at) * this.share) - workedMs;
    this.#at = now;
    if (this.#savedMs < 0) await sleep(-this.#savedMs / this.share, undefined, { signal, ref: false });
  }
}
