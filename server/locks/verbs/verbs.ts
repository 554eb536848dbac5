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
   * The permanent id of the API key or operator. Only this principal can renew, release or re-enter its holds.
   * `undefined` for a client of the library, which needs only the token.
   */
  readonly principal?: string | undefined;
}

/** A hold, with the caller of a verb on it. */
export interface VerbHold extends HoldRef, HoldCaller {
  /**
   * The label of the hold; defaults to the token. If a release also reserves the lock, the reservation uses this label.
   */
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
  /** The total number of permits. If the semaphore does not exist, it is created with this number. */
  readonly limit?: number | undefined;
  /** Whether a reader gives way to writers that began to wait earlier; true by default. Only for the kind `read`. */
  readonly yieldsToWriters?: boolean | undefined;
  /** Unit of the deadline for `timestamp`; `ms` by default. */
  readonly unit?: TimestampUnit | undefined;
  readonly record?: OwnerRecord | undefined;
  /**
   * The interval at which the client will renew, in ms. If set, the hold counts as overdue when a renewal does not
   * happen.
   */
  readonly renewEveryMs?: number | undefined;
  /** Whether the client reads and answers release requests; false by default, and always false on a quorum. */
  readonly receivesReleaseRequests?: boolean | undefined;
  /** Grace period after an expired lease, in ms. A release ends it immediately. */
  readonly graceMs?: number | undefined;
  /** Minimum hold time in ms. The lock stays held for this time even after an early release. */
  readonly minHoldMs?: number | undefined;
  /** How long to wait for a held lock, in ms; 0 by default. */
  readonly waitMs?: number;
  /** Holds that the caller does not release before this wait ends. Redis stores them with the waiter. */
  readonly holding?: readonly DeclaredHold[] | undefined;
  /**
   * What happens if the wait becomes part of a deadlock; `report` by default. `refuse`: in a deadlock, a Lockkeeper
   * server that watches the target ends the youngest wait with this option. The error is `deadlock`.
   */
  readonly onDeadlock?: OnDeadlock | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignalLike | undefined;
  /** Called before each attempt is sent. Deadlines count from the last attempt. */
  readonly onSend?: (() => void) | undefined;
  /** A request id chosen by the caller. Repeating a request with the same id changes nothing. */
  readonly requestId?: string | undefined;
}

/** Parameters of a renewal or a re-entry. */
export interface RenewOptions {
  /** The lease in ms; defaults to the lease of the hold. */
  readonly leaseMs?: number | undefined;
  /** Whether the client reads release requests from now on. Only for a renewal; ignored on a quorum. */
  readonly receivesReleaseRequests?: boolean | undefined;
  readonly requestId?: string | undefined;
  /** Called before each attempt is sent. Deadlines count from the last attempt. */
  readonly onSend?: () => void;
}

/** A hold that is renewed in a batch. */
export interface RenewalTarget extends VerbHold {
  /** The lease in ms; defaults to the lease of the hold. */
  readonly leaseMs?: number | undefined;
}

export interface ReleaseOptions {
  /** Time, in ms, for which the lock is reserved after the release. */
  readonly reservedMs?: number | undefined;
  /** Required while the count is above 1. Without it, a repeated request would be a second release. */
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
  /** Re-entrancy count, or number of permits of a semaphore. */
  readonly count: number;
  readonly leaseMs: number;
  /** Remaining lease when Redis replied, in ms. The client's deadline is this long after it sent the request. */
  readonly remainingMs: number;
  /** The Redis clock, in Unix milliseconds. */
  readonly asOf: number;
  /** The last request to release the hold. */
  readonly releaseRequested?: ReleaseRequest | undefined;
}

/** The permits of a semaphore after its limit was set. */
export interface SemaphorePermits {
  readonly key: Key;
  readonly limit: number;
  /** Negative if clients have acquired more permits than the limit. */
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

/** The caller of a request for a latch, and an id for repeating the request. */
export interface LatchCaller extends HoldCaller {
  readonly requestId?: string | undefined;
}

export interface LatchWaitOptions {
  /** How long to wait, in ms. */
  readonly waitMs: number;
  /** The `asOf` at which an earlier wait ended. If the latch has been opened since then, this wait ends immediately. */
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
   * Closes an open latch by setting its count. Does not change a latch that is already closed: `isSet` is then false,
   * and `count` is the current count.
   */
  trySetCount(
    key: Key,
    count: number,
    caller?: LatchCaller,
  ): Promise<LatchCount & { readonly isSet: boolean }>;
  /** Decreases the count of a closed latch. */
  countDown(key: Key, caller?: LatchCaller): Promise<LatchCount>;
  getCount(key: Key): Promise<LatchCount>;
  /** Waits until the latch is open. @throws LockkeeperError the errors above, timeout, aborted */
  wait(key: Key, options: LatchWaitOptions): Promise<LatchCount>;
}

/** How long to wait for a condition. */
export interface ConditionWaitOptions {
  /** How long to wait for a signal, in ms; Infinity for no limit. */
  readonly waitMs: number;
  /** How long to wait to re-acquire the lock, in ms; Infinity for no limit. */
  readonly reacquireMs: number;
  /** Cancels the wait. The lock is then not acquired again. */
  readonly signal?: AbortSignalLike | undefined;
  /**
   * A request id chosen by the caller. A repeated request continues the wait, for up to 5 s after the first one ended.
   */
  readonly requestId?: string | undefined;
  /** Called when the hold was given up. If an error precedes this call, the hold is unchanged. */
  readonly onGivenUp?: (() => void) | undefined;
  /** Called before each attempt to acquire the lock again. Deadlines count from the last attempt. */
  readonly onSend?: (() => void) | undefined;
}

/** The hold at the end of a wait for a condition, after the lock was acquired again. */
export interface ConditionGrant extends AcquiredGrant {
  /** False if `waitMs` passed without a signal. After an interruption, it can be true without a signal. */
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
   * Gives up a hold with all its counts, waits for a signal, and acquires the lock again with the same count, a new
   * token and a larger fencing token.
   *
   * @throws LockkeeperError the errors above, queue_full (the hold is unchanged), timeout and aborted (nothing is held)
   */
  await(hold: VerbHold, condition: string, options: ConditionWaitOptions): Promise<ConditionGrant>;
  /** Signals clients that wait for the condition. Returns how many. */
  signal(
    hold: VerbHold,
    condition: string,
    options: SignalOptions,
  ): Promise<{ readonly count: number; readonly asOf: number }>;
}

/** Parameters of a release request. */
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

/**
 * The outcome of a release. `still_held`: one of several counts was released. `not_held`: the hold had already ended.
 */
export interface Released {
  readonly outcome: "released" | "still_held" | "not_held";
  /** The remaining count. */
  readonly count: number;
  readonly asOf: number;
}

/** Whether a hold exists and, if it does, its grant with the current remaining time. */
export type HoldStatus = ({ readonly held: true } & Grant) | { readonly held: false; readonly asOf: number };

/** A grant, with a function that withdraws it if it never reaches the caller. */
export interface AcquiredGrant {
  readonly grant: Grant;
  /** Whether the hold was granted earlier for the same request id. */
  readonly isReplayed?: boolean;
  abandon(): void;
}

/**
 * The holds of several locks that were granted together, with a function that withdraws them if they never reach the
 * caller.
 */
export interface AcquiredGroup {
  /** In the order of the requested keys. */
  readonly grants: readonly Grant[];
  /** Whether the holds were granted earlier for the same request id. */
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
  /** The prefix of this client's tokens. Force-releases of its holds are published on the channel with this id. */
  readonly clientId: string;
  acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant>;
  /** Acquires all locks, or none of them. During a wait, holds none of them. */
  acquireAll(keys: readonly Key[], options: AcquireOptions): Promise<AcquiredGroup>;
  reenter(hold: VerbHold, options?: RenewOptions): Promise<Grant>;
  renew(hold: VerbHold, options?: RenewOptions): Promise<Grant>;
  /**
   * Renews many holds. Returns the results in the order of `holds`, and never rejects. Repeating the call changes only
   * the leases, so it needs no request id.
   */
  renewHolds(holds: readonly RenewalTarget[]): Promise<PromiseSettledResult<Grant>[]>;
  release(hold: VerbHold, options?: ReleaseOptions): Promise<Released>;
  /** Converts a writer's hold to a reader's hold with the same fencing token. A repeated call changes nothing. */
  downgrade(hold: VerbHold, onSend?: () => void): Promise<Grant>;
  verify(hold: VerbHold): Promise<HoldStatus>;
  /**
   * Answers a release request. Repeating the call changes nothing.
   *
   * @throws LockkeeperError changed, lost, not_owner, key_not_allowed, invalid, release_request_unsupported,
   * unavailable, unknown_outcome
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

/**
 * Called with the key and the fencing token of each hold that begins, and of each release that leaves the lock free.
 */
export type HoldChangeListener = (change: "acquired" | "released", key: Key, fence: string) => void;

/** The verbs and the actions of operators. */
export interface OperatorVerbs extends LockVerbs {
  /**
   * Sets the listener for holds that `acquire` grants and for releases that leave a lock free. A later listener
   * replaces it. Not available on a quorum. Does not report readers of a read/write lock, because they share a fencing
   * token.
   */
  onHoldChange?(listener: HoldChangeListener): void;
  /**
   * Force-releases one hold of any lock, including locks that are not lockable.
   *
   * @throws LockkeeperError not_a_lock, key_not_allowed, unavailable, unknown_outcome
   */
  forceRelease(seen: HeldObservation, ask: ForceReleaseParams): Promise<ForceReleaseResult>;
  /**
   * Extends one hold of any lock, including locks that are not lockable.
   *
   * @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome
   */
  extend(seen: HeldObservation, ask: ExtendParams): Promise<ExtendReply>;
  /**
   * Asks the client of a Lockkeeper hold to release it, including locks that are not lockable.
   *
   * @throws LockkeeperError release_request_unsupported, key_not_allowed, unavailable, unknown_outcome
   */
  requestRelease(
    seen: HeldObservation,
    holder: SeenHolder,
    ask: RequestReleaseOptions,
  ): Promise<RequestReleaseReply>;
}
