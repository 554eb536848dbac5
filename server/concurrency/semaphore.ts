/** So many at a time; whoever comes when all are taken has its turn in the order of asking. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];

  /** @param available how many may be taken at once */
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
