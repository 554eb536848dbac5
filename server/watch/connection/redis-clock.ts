/** An estimate of Redis's clock. Uses this machine's clock until `update` is first called. */
export class RedisClock {
  #offsetMs = Date.now() - performance.now();
  #updatedAt: number | undefined;

  /**
   * Sets the clock from a reply that contains Redis's time.
   *
   * @param asOf Redis's time in the reply, in Unix ms
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

  /** Redis time of the last call to `update`, in Unix ms. Before the first call, the estimated current Redis time. */
  get lastUpdate(): number {
    return Math.round(this.toRedisTime(this.#updatedAt ?? performance.now()));
  }
}
