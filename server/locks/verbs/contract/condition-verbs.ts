import type { AbortSignalLike } from "../../waiting/abort-signal-like.ts";
import type { AcquiredGrant, VerbHold } from "./grant.ts";

/** Time limits and callbacks of a wait for a condition. */
export interface ConditionWaitOptions {
  /** How long to wait for a signal, in ms; Infinity for no limit. */
  readonly waitMs: number;
  /** How long to wait to re-acquire the lock, in ms; Infinity for no limit. */
  readonly reacquireMs: number;
  /** Cancels the wait without acquiring the lock again. */
  readonly signal?: AbortSignalLike | undefined;
  /**
   * A request id chosen by the caller. A request that is repeated within 5 s after the first request ended continues
   * the wait.
   */
  readonly requestId?: string | undefined;
  /**
   * Called when the hold is given up. If the wait fails before this call, the hold is unchanged, except after
   * `unknown_outcome` or `lost`.
   */
  readonly onGivenUp?: (() => void) | undefined;
  /** Called before each attempt to acquire the lock again. Deadlines count from the last attempt. */
  readonly onSend?: (() => void) | undefined;
}

/** The hold at the end of a wait for a condition, after the lock was acquired again. */
export interface ConditionGrant extends AcquiredGrant {
  /** False if `waitMs` passed without a signal. After an interruption, the field can be true without a signal. */
  readonly isSignalled: boolean;
}

export interface SignalOptions {
  /** `one` signals the client that has waited longest. */
  readonly who: "one" | "all";
  readonly requestId?: string | undefined;
}

/**
 * The verbs for conditions of locks.
 *
 * @throws LockkeeperError condition_unsupported, lost, not_owner, key_not_allowed, invalid, idempotency_key_reused,
 *   unavailable, unknown_outcome
 */
export interface ConditionVerbs {
  /**
   * Gives up a hold, whatever its count, waits for a signal, and acquires the lock again with the same count, a new
   * token and a larger fencing token.
   *
   * @throws LockkeeperError the errors of `ConditionVerbs`, queue_full (the hold is unchanged), timeout and aborted
   *   (nothing is held)
   */
  await(hold: VerbHold, condition: string, options: ConditionWaitOptions): Promise<ConditionGrant>;
  /** Signals one or all clients that wait for the condition. `count` is the number of clients that were signaled. */
  signal(
    hold: VerbHold,
    condition: string,
    options: SignalOptions,
  ): Promise<{ readonly count: number; readonly asOf: number }>;
}
