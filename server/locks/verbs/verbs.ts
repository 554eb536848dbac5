import type { TimestampUnit, WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import type { ReleaseAnswer, ReleaseRequest } from "../../../lib/contract/holds/release-request.ts";
import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { HoldRef } from "../../formats/hold-id.ts";
import type { ForceReleaseParams } from "../../formats/lock-format.ts";
import type { ExtendRequest } from "../../formats/lock-requests.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import type { RequestReleaseReply } from "../../formats/release-request.ts";
import type { ExtendReply, ForceReleaseReply } from "../../formats/script-replies.ts";
import type { DeclaredHold, OnDeadlock } from "../../formats/wait-declaration.ts";
import type { AbortSignalLike } from "../waiting/abort-signal-like.ts";

/** The caller of a verb. */
export interface HoldCaller {
  /**
   * The permanent id of the API key or operator. Only this principal can renew, release and re-enter its holds. `undefined`
   * for a client of the library, for which the token is sufficient.
   */
  readonly principal?: string | undefined;
}

/** A hold, and the caller of a verb on it. */
export interface VerbHold extends HoldRef, HoldCaller {
  /** The label of the hold; by default the token. If a release reserves the lock, it names the reservation. */
  readonly owner?: string | undefined;
}

export interface AcquireOptions extends HoldCaller {
  /** A label for display; no script compares it. */
  readonly owner: string;
  readonly leaseMs: number;
  /** `redisson` by default. */
  readonly format?: WritableFormat | undefined;
  /** `lock` by default; every other kind requires the format `redisson`. */
  readonly kind?: WritableKind | undefined;
  /** The number of permits; only for a semaphore, 1 by default. */
  readonly permits?: number | undefined;
  /** The total number of permits of the semaphore. If the semaphore does not exist, it is created with this number. */
  readonly limit?: number | undefined;
  /** Whether a reader gives way to writers that began to wait earlier; true by default. Only for the kind `read`. */
  readonly yieldsToWriters?: boolean | undefined;
  /** Unit of the deadline for `timestamp`; `ms` by default. */
  readonly unit?: TimestampUnit | undefined;
  readonly record?: OwnerRecord | undefined;
  /**
   * The interval at which the client will renew, in ms. If it is set and a renewal does not happen, the hold counts as
   * overdue.
   */
  readonly renewEveryMs?: number | undefined;
  /** Whether the client reads release requests and answers them; false by default, and always on a quorum. */
  readonly receivesReleaseRequests?: boolean | undefined;
  /** Grace period after an expired lease, in ms; a release ends it immediately. */
  readonly graceMs?: number | undefined;
  /** Minimum hold time in ms, which applies even if the lock is released earlier. */
  readonly minHoldMs?: number | undefined;
  /** How long to wait for a held lock, in ms; 0 by default. */
  readonly waitMs?: number;
  /** The holds that the caller does not release before this wait ends. They are listed with the waiter. */
  readonly holding?: readonly DeclaredHold[] | undefined;
  /**
   * What happens if the wait becomes part of a deadlock; `report` by default. `refuse`: a Lockkeeper server that watches the
   * target ends the youngest of these waits with `deadlock`.
   */
  readonly onDeadlock?: OnDeadlock | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignalLike | undefined;
  /** Called before each attempt is sent. Deadlines count from the last attempt. */
  readonly onSend?: (() => void) | undefined;
  /** Request id of the caller; repeating it changes nothing. */
  readonly requestId?: string | undefined;
}

/** Parameters of a renewal or a re-entry. */
export interface RenewOptions {
  /** The lease in ms; by default the hold's own lease. */
  readonly leaseMs?: number | undefined;
  /** Whether the client reads release requests from now on. Only for a renewal; ignored on a quorum. */
  readonly receivesReleaseRequests?: boolean | undefined;
  readonly requestId?: string | undefined;
  /** Called before each attempt is sent. Deadlines count from the last attempt. */
  readonly onSend?: () => void;
}

/** A hold that is renewed together with others. */
export interface RenewalTarget extends VerbHold {
  /** The lease in ms; by default the hold's own lease. */
  readonly leaseMs?: number | undefined;
}

export interface ReleaseOptions {
  /** How long the lock is reserved afterwards, in ms. */
  readonly reservedMs?: number | undefined;
  /** Required while the count is above 1: without it, a repeated request would be a second release. */
  readonly requestId?: string | undefined;
}

export interface ReserveOptions extends HoldCaller {
  /** The name of the operator; the owner is `lockkeeper:reserve:<by>`. */
  readonly by: string;
  readonly reservedMs: number;
  readonly format?: WritableFormat | undefined;
  /** `lock` by default; `write` for a read/write lock. */
  readonly kind?: WritableKind | undefined;
  readonly unit?: TimestampUnit | undefined;
  /** The reason, shown as the purpose of the hold. */
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
}

/** A hold that was granted, renewed or re-entered. */
export interface Grant extends HoldRef {
  /** The label of the hold. */
  readonly owner: string;
  /** Re-entrancy count; for a semaphore, the number of permits. */
  readonly count: number;
  readonly leaseMs: number;
  /**
   * Remaining lease when Redis replied, in ms. To compute a deadline, start from the time at which the request was
   * sent.
   */
  readonly remainingMs: number;
  /** The Redis clock, in Unix milliseconds. */
  readonly asOf: number;
  /** The last request to release the hold. */
  readonly releaseRequested?: ReleaseRequest | undefined;
}

/** The permits of a semaphore. */
export interface SemaphorePermits {
  readonly key: Key;
  readonly limit: number;
  /** Negative if more permits are acquired than the limit. */
  readonly available: number;
  readonly acquired: number;
  /** The total before the change; `null` if there was no semaphore. */
  readonly previousLimit: number | null;
  /** The Redis clock, in Unix milliseconds. */
  readonly asOf: number;
}

/** The count of a latch when Redis replied. */
export interface LatchCount {
  readonly key: Key;
  /** 0 if the latch is open. */
  readonly count: number;
  /** The Redis clock, in Unix milliseconds. */
  readonly asOf: number;
}

/** The caller of a request for a latch, and an id to repeat the request. */
export interface LatchCaller extends HoldCaller {
  readonly requestId?: string | undefined;
}

export interface LatchWaitOptions {
  /** How long to wait, in ms. */
  readonly waitMs: number;
  /** The `asOf` at which an earlier wait ended: an opening since then also ends this one. */
  readonly openedAfterMs?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

/**
 * The verbs of count-down latches.
 *
 * @throws LockkeeperError not_a_lock, key_not_allowed, invalid, idempotency_key_reused, unavailable, unknown_outcome
 */
export interface LatchVerbs {
  /**
   * Closes an open latch with a count. If it is already closed, it is not changed: `isSet` is false, and `count` is its
   * count.
   */
  trySetCount(
    key: Key,
    count: number,
    caller?: LatchCaller,
  ): Promise<LatchCount & { readonly isSet: boolean }>;
  /** Decreases the count of a closed latch. */
  countDown(key: Key, caller?: LatchCaller): Promise<LatchCount>;
  getCount(key: Key): Promise<LatchCount>;
  /** Waits until the latch is open. @throws LockkeeperError also timeout, aborted */
  wait(key: Key, options: LatchWaitOptions): Promise<LatchCount>;
}

/** How long to wait for a condition. */
export interface ConditionWaitOptions {
  /** How long to wait for a signal, in ms; Infinity for no limit. */
  readonly waitMs: number;
  /** How long to wait for the lock afterwards, in ms; Infinity for no limit. */
  readonly reacquireMs: number;
  /** Ends the wait without the lock. */
  readonly signal?: AbortSignalLike | undefined;
  /** Request id of the caller; a repeated request continues the wait, for up to 5 s after the first one ended. */
  readonly requestId?: string | undefined;
  /** Called when the hold was given up. Until then, an error means that it is unchanged. */
  readonly onGivenUp?: (() => void) | undefined;
  /** Called before each attempt to re-acquire the lock. Deadlines count from the last attempt. */
  readonly onSend?: (() => void) | undefined;
}

/** The hold with which a wait for a condition ended. */
export interface ConditionGrant extends AcquiredGrant {
  /** False if `waitMs` passed without a signal. Can be true without a signal after an interruption. */
  readonly isSignalled: boolean;
}

export interface SignalOptions {
  /** `one` signals the client that has waited longest. */
  readonly who: "one" | "all";
  readonly requestId?: string | undefined;
}

/**
 * The verbs of the conditions of a lock.
 *
 * @throws LockkeeperError condition_unsupported, lost, not_owner, key_not_allowed, invalid, idempotency_key_reused,
 *   unavailable, unknown_outcome
 */
export interface ConditionVerbs {
  /**
   * Gives up a hold with its whole count, waits for a signal, and acquires the lock again with the same count, a new token and
   * a larger fencing token.
   *
   * @throws LockkeeperError also queue_full (the hold is unchanged), timeout and aborted (nothing is held)
   */
  await(hold: VerbHold, condition: string, options: ConditionWaitOptions): Promise<ConditionGrant>;
  /** Signals clients that wait for the condition. Returns how many. */
  signal(
    hold: VerbHold,
    condition: string,
    options: SignalOptions,
  ): Promise<{ readonly count: number; readonly asOf: number }>;
}

/** Asks the client of a hold to release it. */
export interface RequestReleaseOptions {
  readonly by: string;
  /** At most 200 characters; control characters are replaced. */
  readonly reason: string;
}

/** The answer of a client to a release request. */
export interface ReleaseRequestAnswer {
  readonly requestId: string;
  readonly answer: ReleaseAnswer;
  /** At most 200 characters; control characters are replaced. */
  readonly text?: string | undefined;
}

/** The outcome of a release. `still_held`: one of several counts was released. */
export interface Released {
  readonly outcome: "released" | "still_held" | "not_held";
  /** The remaining count. */
  readonly count: number;
  readonly asOf: number;
}

/** Whether a hold exists. If it does, also its remaining time. */
export type HoldStatus = ({ readonly held: true } & Grant) | { readonly held: false; readonly asOf: number };

/** A grant, and a way to withdraw it if it never reaches the caller. */
export interface AcquiredGrant {
  readonly grant: Grant;
  /** Whether the same request id was already granted this hold. */
  readonly isReplayed?: boolean;
  abandon(): void;
}

/** The holds of several locks that were granted together, and a way to withdraw them if they never reach the caller. */
export interface AcquiredGroup {
  /** In the order of the requested keys. */
  readonly grants: readonly Grant[];
  /** Whether the same request id was already granted these holds. */
  readonly isReplayed: boolean;
  abandon(): void;
}

/**
 * The outcome of a force-release on one master of a quorum. `away`: the master certainly did not execute the request.
 */
export interface MasterReleaseOutcome {
  readonly name: string;
  readonly outcome: "released" | "already_gone" | "changed" | "away" | "unknown";
}

/** Parameters of an extension: the new lease, and the actor. */
export type ExtendParams = Pick<ExtendRequest, "leaseMs" | "by" | "reason">;

export type ForceReleaseResult = ForceReleaseReply & { readonly masters?: readonly MasterReleaseOutcome[] };

/** The verbs of a target, on one Redis or several. */
export interface LockVerbs {
  /** The prefix of the tokens. Force-releases are published on the channel of this client. */
  readonly clientId: string;
  acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant>;
  /** Acquires all locks, or none of them. Holds none of them while waiting. */
  acquireAll(keys: readonly Key[], options: AcquireOptions): Promise<AcquiredGroup>;
  reenter(hold: VerbHold, options?: RenewOptions): Promise<Grant>;
  renew(hold: VerbHold, options?: RenewOptions): Promise<Grant>;
  /**
   * Renews many holds. Returns the result of each in the order of `holds`, and never rejects. A repeated call changes only
   * the leases, so it needs no request id.
   */
  renewHolds(holds: readonly RenewalTarget[]): Promise<PromiseSettledResult<Grant>[]>;
  release(hold: VerbHold, options?: ReleaseOptions): Promise<Released>;
  /** Turns the hold of a writer into that of a reader, with the same fencing token. A repeated call changes nothing. */
  downgrade(hold: VerbHold, onSend?: () => void): Promise<Grant>;
  verify(hold: VerbHold): Promise<HoldStatus>;
  /**
   * Answers a release request. Repeating an answer changes nothing.
   *
   * @throws LockkeeperError changed, lost, not_owner, key_not_allowed, invalid, release_request_unsupported, unavailable,
   *   unknown_outcome
   */
  answerReleaseRequest(hold: VerbHold, answer: ReleaseRequestAnswer): Promise<ReleaseRequest>;
  reserve(key: Key, options: ReserveOptions): Promise<Grant>;
  /**
   * Sets the total number of permits of a semaphore, and creates the semaphore if it does not exist. Repeating the call
   * changes nothing.
   *
   * @throws LockkeeperError not_a_lock, key_not_allowed, invalid, unavailable, unknown_outcome
   */
  setLimit(key: Key, limit: number): Promise<SemaphorePermits>;
  readonly latches: LatchVerbs;
  readonly conditions: ConditionVerbs;
}

/** Receives the key and the fencing token of each hold that begins, and of each release that leaves the lock free. */
export type HoldChangeListener = (change: "acquired" | "released", key: Key, fence: string) => void;

/** The verbs and the actions of operators. */
export interface OperatorVerbs extends LockVerbs {
  /**
   * Calls the listener for each reply to `acquire` and `release`. There is one listener, and a quorum has none. Readers
   * of a read/write lock are not reported, because they share a fencing token.
   */
  onHoldChange?(listener: HoldChangeListener): void;
  /**
   * Force-releases one hold of any lock, whether or not its key is lockable.
   *
   * @throws LockkeeperError not_a_lock, key_not_allowed, unavailable, unknown_outcome
   */
  forceRelease(seen: HeldObservation, ask: ForceReleaseParams): Promise<ForceReleaseResult>;
  /**
   * Extends one hold of any lock, whether or not its key is lockable.
   *
   * @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome
   */
  extend(seen: HeldObservation, ask: ExtendParams): Promise<ExtendReply>;
  /**
   * Asks the client of a Lockkeeper hold to release it, whether or not its key is lockable.
   *
   * @throws LockkeeperError release_request_unsupported, key_not_allowed, unavailable, unknown_outcome
   */
  requestRelease(
    seen: HeldObservation,
    holder: SeenHolder,
    ask: RequestReleaseOptions,
  ): Promise<RequestReleaseReply>;
}
