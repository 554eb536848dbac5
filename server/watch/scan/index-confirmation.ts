import type { KeyReader } from "./key-reader.ts";

interface IndexConfirmationDeps {
  readonly reader: Pick<KeyReader, "waitUntilSettled">;
  /** Names the observation period: another name means that changes may have been missed. */
  getContinuityId(): string;
  /** Whether Redis responds and the index has all that it has. */
  isComplete(): boolean;
}

/** Until when the index is known to have every change of the keys of one master. */
export class IndexConfirmation {
  #at: number | undefined;
  #isWaiting = false;

  constructor(private readonly deps: IndexConfirmationDeps) {}

  /** performance.now(); undefined: it was never complete. */
  get at(): number | undefined {
    return this.#at;
  }

  /** Everything until then has been read. */
  confirm(at: number): void {
    if (this.deps.isComplete()) this.#at = at;
  }

  /** Every notification until then has arrived: it is in the index once its key has been read. */
  async confirmWhenRead(deliveredUntil: number): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const continuityId = this.deps.getContinuityId();
    await this.deps.reader.waitUntilSettled();
    this.#isWaiting = false;
    if (this.deps.getContinuityId() === continuityId) this.confirm(deliveredUntil);
  }
}
