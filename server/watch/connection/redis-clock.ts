/** Redis's clock as we know it: what it said, plus the time that has passed here since. */
export class RedisClock {
  #offsetMs = Date.now() - performance.now();
  #updatedAt: number | undefined;

  /** `asOf` was read somewhere between the two moments (performance.now() before sending and after the reply). */
  update(asOf: number, sentAt: number, receivedAt: number): void {
    this.#offsetMs = asOf - (sentAt + receivedAt) / 2;
    this.#updatedAt = receivedAt;
  }

  now(): number {
    return Math.round(this.toRedisTime(performance.now()));
  }

  toRedisTime(moment: number): number {
    return moment + this.#offsetMs;
  }

  /** Redis's clock when it last answered. */
  get lastUpdate(): number {
    return Math.round(this.toRedisTime(this.#updatedAt ?? performance.now()));
  }
}
