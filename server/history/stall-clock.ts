/** Measures how long this process did not run because it was suspended, stopped or blocked. */
export class StallClock {
  #last = { at: performance.now(), wallAt: Date.now() };

  /** Milliseconds since the last call of `restart`. */
  get elapsedMs(): number {
    // The monotonic clock stops while the machine is suspended, so this also uses the wall clock.
    return Math.max(performance.now() - this.#last.at, Date.now() - this.#last.wallAt);
  }

  /** Restarts the clock. @returns the milliseconds since the previous restart */
  restart(): number {
    const { elapsedMs } = this;
    this.#last = { at: performance.now(), wallAt: Date.now() };
    return elapsedMs;
  }
}
