import { setMaxListeners } from "node:events";
import type { Key } from "../../../lib/keys/key.ts";
import type { HeldError } from "../../errors/lock-errors.ts";
import type { AbortListener, AbortSignalLike } from "./abort-signal-like.ts";
import type { DeadlockStep } from "./deadlock-refusals.ts";

/** The hold that an attempt found. */
export interface SeenHold {
  /**
   * The string in the lock that identifies the holder. Together with a fencing token, the string also identifies the
   * hold.
   */
  readonly owner: string;
  /**
   * The fencing token; `null` if another library acquired the hold. The release of such a hold may wake no Lockkeeper
   * client.
   */
  readonly fence: string | null;
}

/** The result of a refused attempt: another client holds the lock or is next. */
export interface HeldOutcome {
  /** The lock that was refused. By default, this is the lock that the caller waits for. */
  readonly key?: Key | undefined;
  readonly heldMs: number | null;
  readonly asOf: number;
  /**
   * The current holder. `undefined` if the lock is free but another waiter is next, and for locks whose waiters are
   * always woken by a message. Always `undefined` on a quorum, because each attempt briefly ties up votes and must not
   * be repeated quickly.
   */
  readonly holder?: SeenHold | undefined;
  /**
   * Creates the error for the refusal. The error is created only when it is needed, because it uses more memory than
   * the rest of a waiter.
   */
  toError(): HeldError;
}

/** Why a wait ended without the lock. */
export type WaitEndReason = "timed_out" | "given_up" | "superseded" | "deadlock";

/**
 * Ends a wait when it times out, the caller's signal aborts, a later request with the same id takes over, or the wait
 * is refused because of a deadlock. Not an `AbortSignal`: thousands of waits can be pending, and a signal uses as much
 * memory as the rest of a wait.
 */
export class WaitCancellation implements AbortListener {
  ending: WaitEndReason | undefined;
  /** The deadlock that ended the wait; `undefined` for any other reason. */
  deadlock: readonly DeadlockStep[] | undefined;
  /** The listener that is called when the wait ends. A wait has only one listener. */
  onEnding: { stopped(): void } | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(
    waitMs: number,
    private readonly signal: AbortSignalLike | undefined,
  ) {
    this.#timer = setTimeout(endByTimeout, waitMs, this);
    if (signal === undefined) return;
    // One signal can end many waits.
    if (signal instanceof AbortSignal) setMaxListeners(0, signal);
    signal.addEventListener("abort", this);
    if (signal.aborted) this.end("given_up");
  }

  /** Called when the caller's signal aborts. */
  handleEvent(): void {
    this.end("given_up");
  }

  end(ending: WaitEndReason): void {
    if (this.ending !== undefined) return;
    this.ending = ending;
    this.onEnding?.stopped();
  }

  refuse(deadlock: readonly DeadlockStep[]): void {
    this.deadlock ??= deadlock;
    this.end("deadlock");
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.signal?.removeEventListener("abort", this);
  }
}

function endByTimeout(stop: WaitCancellation): void {
  stop.end("timed_out");
}
