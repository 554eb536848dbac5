/** Cleanup functions for servers, processes and connections. The last one that was registered runs first. */
export class Resources {
  readonly #ends: (() => unknown)[] = [];
  #ending: Promise<void> | undefined;

  defer(end: () => unknown): void {
    this.#ends.push(end);
  }

  end(): Promise<void> {
    this.#ending ??= this.#endAll();
    return this.#ending;
  }

  async #endAll(): Promise<void> {
    for (let end = this.#ends.pop(); end !== undefined; end = this.#ends.pop()) {
      try {
        await end();
      } catch (error) {
        process.stderr.write(`Something could not be ended: ${error}\n`);
      }
    }
  }
}
