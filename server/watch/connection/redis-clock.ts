/** Redis's clock as we know it: what it said, plus the time that has passed here since. */
export class RedisClock {
  #offsetMs = Date.now() - performance.now();
  #heardAt: number | undefined;

  /** `asOf` was read somewhere between the two moments (performance.now() before sending and after the reply). */
  heard(asOf: number, sentAt: number, receivedAt: number): void {
    this.#offsetMs = asOf - (sentAt + receivedAt) / 2;
    this.#heardAt = receivedAt;
  }

  now(): number {
    return Math.round(this.at(performance.now()));
  }

  at(moment: number): number {
    return moment + this.#offsetMs;
  }

  /** Redis's clock when it last answered. */
  get lastHeard(): number {
    return Math.round(this.at(this.#heardAt ?? performance.now()));
  }
}
