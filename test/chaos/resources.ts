/** The resources that a run has started, which are closed in reverse order. */
export class Resources {
  readonly #ends: (() => Promise<void> | void)[] = [];

  defer(end: () => Promise<void> | void): void {
    this.#ends.push(end);
  }

  async end(): Promise<void> {
    for (let end = this.#ends.pop(); end !== undefined; end = this.#ends.pop()) await end();
  }
}
