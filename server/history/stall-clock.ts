/** Measures how long this process stood still: suspended, stopped, or kept from running by other work. */
export class StallClock {
  #last = { at: performance.now(), wallAt: Date.now() };

  /** Milliseconds since the last call of `restart`. */
  get elapsedMs(): number {
    // The monotonic clock stands still while a machine is suspended.
    return Math.max(performance.now() - this.#last.at, Date.now() - this.#last.wallAt);
  }

  /** Restarts. @returns the milliseconds since the call before */
  restart(): number {
    const { elapsedMs } = this;
    this.#last = { at: performance.now(), wallAt: Date.now() };
    return elapsedMs;
  }
}
