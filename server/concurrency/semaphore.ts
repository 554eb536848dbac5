/** So many at a time; whoever comes when all are taken has its turn in the order of asking. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** @param free how many may be taken at once */
  constructor(private free: number) {}

  async take(): Promise<void> {
    if (this.free > 0) {
      this.free--;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.free++;
    else next();
  }
}
