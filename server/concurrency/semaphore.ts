/** A counting semaphore. Waiting callers get permits in the order in which they called `acquire`. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];

  /** @param available the number of permits */
  constructor(private available: number) {}

  async acquire(): Promise<void> {
    if (this.available > 0) {
      this.available--;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.available++;
    else next();
  }
}
