import type { KeyReader } from "./key-reader.ts";

interface IndexConfirmationDeps {
  readonly reader: Pick<KeyReader, "waitUntilSettled">;
  /** Identifies the observation period. If the id differs from an earlier one, changes may have been missed. */
  getContinuityId(): string;
  /** Whether Redis responds and the index is complete. */
  isComplete(): boolean;
}

/** Tracks the time up to which the index contains every change to one master's keys. */
export class IndexConfirmation {
  #at: number | undefined;
  #isWaiting = false;

  constructor(private readonly deps: IndexConfirmationDeps) {}

  /** The confirmed time (`performance.now()`), or `undefined` if the index was never complete. */
  get at(): number | undefined {
    return this.#at;
  }

  /** Records that everything up to this time has been read. */
  confirm(at: number): void {
    if (this.deps.isComplete()) this.#at = at;
  }

  /** Confirms the time up to which all notifications have arrived, as soon as the notified keys have been read. */
  async confirmWhenRead(deliveredUntil: number): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const continuityId = this.deps.getContinuityId();
    await this.deps.reader.waitUntilSettled();
    this.#isWaiting = false;
    if (this.deps.getContinuityId() === continuityId) this.confirm(deliveredUntil);
  }
}
