/** An estimate of Redis's clock: its last reported time plus the time that has passed since the reply. */
export class RedisClock {
  #offsetMs = Date.now() - performance.now();
  #updatedAt: number | undefined;

  /**
   * Sets the clock from a reply that contains Redis's time.
   *
   * @param sentAt time of the request (`performance.now()`)
   * @param receivedAt time of the reply (`performance.now()`)
   */
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

  /** The Redis time of the last update, in Unix ms; the current Redis time before the first update. */
  get lastUpdate(): number {
    return Math.round(this.toRedisTime(this.#updatedAt ?? performance.now()));
  }
}
