import { randomUUID } from "node:crypto";
import { WaitTimeoutError } from "../../errors/lock-errors.ts";
import type { LatchVerbs } from "../verbs/contract/latch-verbs.ts";
import { createAbortedError } from "../waiting/wait-coordinator.ts";
import { WAIT_SLICE_MS } from "./acquire-with-retry.ts";
import { assertLatchWaitOptions } from "./options.ts";

/** Options of `Latch.await`. */
export interface LatchWaitOptions {
  /** How long to wait in milliseconds; Infinity by default. */
  readonly waitMs?: number | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A count-down latch, like Redisson's `RCountDownLatch`. Clients wait until the count reaches 0. A latch without a
 * count is open.
 */
export class Latch {
  constructor(
    readonly key: string,
    private readonly verbs: LatchVerbs,
    private readonly closed: AbortSignal,
  ) {}

  /**
   * Closes the latch by setting its count, from 1 to 1,000,000,000.
   *
   * @returns true if the count was set; false if the latch was already closed, in which case its count is unchanged
   * @throws NotALockError, KeyNotAllowedError, InvalidError, UnavailableError, UnknownOutcomeError
   */
  async trySetCount(count: number): Promise<boolean> {
    this.#assertOpen();
    return (await this.verbs.trySetCount(this.key, count, { requestId: randomUUID() })).isSet;
  }

  /**
   * Decreases the count by one. If the count reaches 0, the latch opens and all waiting clients continue.
   *
   * @returns the remaining count; 0 if the latch is open
   * @throws NotALockError, KeyNotAllowedError, InvalidError (on a quorum), UnavailableError, UnknownOutcomeError
   */
  async countDown(): Promise<number> {
    this.#assertOpen();
    return (await this.verbs.countDown(this.key, { requestId: randomUUID() })).count;
  }

  /**
   * Returns the current count; 0 if the latch is open.
   *
   * @throws NotALockError, KeyNotAllowedError, InvalidError (on a quorum), UnavailableError
   */
  async getCount(): Promise<number> {
    this.#assertOpen();
    return (await this.verbs.getCount(this.key)).count;
  }

  /**
   * Waits until the latch is open.
   *
   * @throws WaitTimeoutError, AbortedError, NotALockError, KeyNotAllowedError, InvalidError, UnavailableError
   */
  async await(options: LatchWaitOptions = {}): Promise<void> {
    assertLatchWaitOptions(options);
    this.#assertOpen();
    const { waitMs = Number.POSITIVE_INFINITY } = options;
    const signal =
      options.signal === undefined ? this.closed : AbortSignal.any([options.signal, this.closed]);
    const deadline = performance.now() + waitMs;
    let openedAfterMs: number | undefined;
    for (;;) {
      if (signal.aborted) throw createAbortedError(signal);
      const leftMs = Math.max(0, deadline - performance.now());
      try {
        const sliceMs = Math.min(leftMs, WAIT_SLICE_MS);
        await this.verbs.wait(this.key, { waitMs: sliceMs, openedAfterMs, signal });
        return;
      } catch (error) {
        if (!(error instanceof WaitTimeoutError) || leftMs <= WAIT_SLICE_MS) throw error;
        openedAfterMs = error.facts.asOf;
      }
    }
  }

  #assertOpen(): void {
    if (this.closed.aborted) throw this.closed.reason;
  }
}
