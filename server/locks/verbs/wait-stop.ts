import { setMaxListeners } from "node:events";
import type { HeldError } from "../../errors/lock-errors.ts";
import type { AbortListener, AbortSignalLike } from "./verbs.ts";

/** Which hold a look saw. */
export interface SeenHold {
  /** Another hold of the same owner is told apart where it has a fence. */
  readonly owner: string;
  /** null: a hold of another library, whose release may wake nobody. */
  readonly fence: string | null;
}

/** The lock is another's. */
export interface HeldOutcome {
  readonly heldMs: number | null;
  readonly asOf: number;
  /**
   * Undefined while the lock is free and another waiter is next, and on a quorum, where a look takes votes for a moment
   * and is not to be repeated soon.
   */
  readonly holder?: SeenHold | undefined;
  /** Made for those who get nothing in the end: it would weigh more than all else that is kept of one who waits. */
  toError(): HeldError;
}

/** Why a wait ended without the lock. */
export type WaitEndReason = "timed_out" | "given_up" | "superseded";

/**
 * A wait that ends with its time, its caller, or a later request of the same id. Thousands may wait, so it is no
 * AbortSignal, of which each weighs as much as the rest of a wait.
 */
export class WaitCancellation implements AbortListener {
  ending: WaitEndReason | undefined;
  /** Who is told; the last one that asked. */
  onEnding: { stopped(): void } | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(
    waitMs: number,
    private readonly signal: AbortSignalLike | undefined,
  ) {
    this.#timer = setTimeout(endByTimeout, waitMs, this);
    if (signal === undefined) return;
    // One signal may well end many waits.
    if (signal instanceof AbortSignal) setMaxListeners(0, signal);
    signal.addEventListener("abort", this);
    if (signal.aborted) this.end("given_up");
  }

  /** The caller's signal has ended. */
  handleEvent(): void {
    this.end("given_up");
  }

  end(ending: WaitEndReason): void {
    if (this.ending !== undefined) return;
    this.ending = ending;
    this.onEnding?.stopped();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.signal?.removeEventListener("abort", this);
  }
}

function endByTimeout(stop: WaitCancellation): void {
  stop.end("timed_out");
}
