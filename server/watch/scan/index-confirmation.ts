import type { KeyReader } from "./key-reader.ts";

interface IndexConfirmationDeps {
  readonly reader: Pick<KeyReader, "waitUntilSettled">;
  /** Returns the id of the current observation period. If the id changes, changes to keys may have been missed. */
  getContinuityId(): string;
  /** Whether Redis responds and the index is complete. */
  isComplete(): boolean;
}

/** Tracks the time up to which the index contains every change to one master's keys. */
export class IndexConfirmation {
  #at: number | undefined;
  #isWaiting = false;

  constructor(private readonly deps: IndexConfirmationDeps) {}

  /** The confirmed time (`performance.now()`), or `undefined` if the index has never been complete. */
  get at(): number | undefined {
    return this.#at;
  }

  /** Records that the index contains every change up to `at`. Has no effect while the index is incomplete. */
  confirm(at: number): void {
    if (this.deps.isComplete()) this.#at = at;
  }

  /**
   * Waits until the notified keys have been read, and then confirms `deliveredUntil`, the time up to which all
   * notifications have arrived. Has no effect if another call is waiting, or if the observation is interrupted during
   * the wait.
   */
  async confirmWhenRead(deliveredUntil: number): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const continuityId = this.deps.getContinuityId();
    await this.deps.reader.waitUntilSettled();
    this.#isWaiting = false;
    if (this.deps.getContinuityId() === continuityId) this.confirm(deliveredUntil);
  }
}
