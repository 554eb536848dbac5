/**
 * Tracks whether the server is reachable from this browser tab. The live stream updates the state. Requests for pages
 * and for code wait until the server is reachable, instead of probing a server that is down.
 */
export class Reachability {
  #isReachable = true;
  readonly #listeners = new Set<() => void>();

  get isReachable(): boolean {
    return this.#isReachable;
  }

  set(isReachable: boolean): void {
    if (this.#isReachable === isReachable) return;
    this.#isReachable = isReachable;
    for (const listener of [...this.#listeners]) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Resolves when the server is reachable. */
  async whenReachable(): Promise<void> {
    if (this.#isReachable) return;
    await new Promise<void>((resolve) => {
      const unsubscribe = this.subscribe(() => {
        unsubscribe();
        resolve();
      });
    });
  }
}

/** The shared instance for this browser tab. */
export const reachability = new Reachability();
