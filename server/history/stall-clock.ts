/**
 * Measures the time since its last restart. If this process restarts the clock regularly, a longer time means that the
 * process was suspended, stopped or blocked.
 */
export class StallClock {
  #last = { at: performance.now(), wallAt: Date.now() };

  /** Time in ms since the last call to `restart`, or since the clock was created. */
  get elapsedMs(): number {
    // The wall clock is also used, because the monotonic clock stops while the machine is suspended.
    return Math.max(performance.now() - this.#last.at, Date.now() - this.#last.wallAt);
  }

  /** Restarts the clock. @returns time in ms since the previous restart */
  restart(): number {
    const { elapsedMs } = this;
    this.#last = { at: performance.now(), wallAt: Date.now() };
    return elapsedMs;
  }
}
