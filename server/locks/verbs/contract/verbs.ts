import type { TimestampUnit, WritableFormat, WritableKind } from "../../../../lib/contract/format.ts";
import type { ReleaseAnswer, ReleaseRequest } from "../../../../lib/contract/holds/release-request.ts";
import type { OwnerRecord } from "../../../../lib/contract/lock.ts";
import type { Key } from "../../../../lib/keys/key.ts";
import type { ForceReleaseParams } from "../../../formats/lock-format.ts";
import type { ExtendRequest } from "../../../formats/lock-requests.ts";
import type { HeldObservation, SeenHolder } from "../../../formats/observation.ts";
import type { RequestReleaseReply } from "../../../formats/release-request.ts";
import type { ExtendReply, ForceReleaseReply } from "../../../formats/script-replies.ts";
import type { DeclaredHold, OnDeadlock } from "../../../formats/wait-declaration.ts";
import type { AbortSignalLike } from "../../waiting/abort-signal-like.ts";
import type { ConditionVerbs } from "./condition-verbs.ts";
import type { AcquiredGrant, AcquiredGroup, Grant, HoldCaller, Released, VerbHold } from "./grant.ts";
import type { LatchVerbs, SemaphorePermits } from "./latch-verbs.ts";

export interface AcquireOptions extends HoldCaller {
  /** Label of the holder for display. Scripts never compare labels. */
  readonly owner: string;
  readonly leaseMs: number;
  /** `redisson` by default. */
  readonly format?: WritableFormat | undefined;
  /** `lock` by default; every other kind requires the `redisson` format. */
  readonly kind?: WritableKind | undefined;
  /** The number of permits; only for a semaphore, 1 by default. */
  readonly permits?: number | undefined;
  /** The total number of permits, with which the semaphore is created if it does not exist. */
  readonly limit?: number | undefined;
  /** Whether a reader gives way to writers that began to wait earlier; true by default. Only for the kind `read`. */
  readonly yieldsToWriters?: boolean | undefined;
  /** Unit of the deadline in the `timestamp` format; `ms` by default. */
  readonly unit?: TimestampUnit | undefined;
  readonly record?: OwnerRecord | undefined;
  /**
   * The interval at which the client will renew, in ms. If set, the hold counts as overdue when it is not renewed in
   * time.
   */
  readonly renewEveryMs?: number | undefined;
  /** Whether the client reads and answers release requests; false by default, and always false on a quorum. */
  readonly receivesReleaseRequests?: boolean | undefined;
  /** Grace period after an expired lease, in ms. A release ends the grace period immediately. */
  readonly graceMs?: number | undefined;
  /** Minimum hold time in ms, for which the lock stays held even after an early release. */
  readonly minHoldMs?: number | undefined;
  /** How long to wait for a held lock, in ms; 0 by default. */
  readonly waitMs?: number;
  /** Holds that the caller keeps during the wait. Redis stores them with the waiter. */
  readonly holding?: readonly DeclaredHold[] | undefined;
  /**
   * What happens if the wait becomes part of a deadlock; `report` by default. `refuse`: in a deadlock, a Lockkeeper
   * server that watches the target ends the most recent wait with this option, with the error `deadlock`.
   */
  readonly onDeadlock?: OnDeadlock | undefined;
  /** Cancels the wait when it aborts. */
  readonly signal?: AbortSignalLike | undefined;
  /** Called before each attempt is sent. Deadlines count from the last attempt. */
  readonly onSend?: (() => void) | undefined;
  /** A request id chosen by the caller. Repeating a request with the same id has no further effect. */
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

/** A hold to renew with `renewHolds`. */
export interface RenewalTarget extends VerbHold {
  /** The lease in ms; defaults to the lease of the hold. */
  readonly leaseMs?: number | undefined;
}

export interface ReleaseOptions {
  /** Time, in ms, for which the lock is reserved after the release. */
  readonly reservedMs?: number | undefined;
  /** Required while the count is above 1. Without an id, a repeated request would decrease the count again. */
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

/** Parameters of a release request. */
export interface RequestReleaseOptions {
  readonly by: string;
  /** The operator's reason. It is shortened to 200 characters, and control characters are replaced by spaces. */
  readonly reason: string;
}

/** A client's answer to a release request. */
export interface ReleaseRequestAnswer {
  readonly requestId: string;
  readonly answer: ReleaseAnswer;
  /** A message for the operator. It is shortened to 200 characters, and control characters are replaced by spaces. */
  readonly text?: string | undefined;
}

/** Whether a hold exists and, if it does, its grant with the current remaining time. */
export type HoldStatus = ({ readonly held: true } & Grant) | { readonly held: false; readonly asOf: number };

/**
 * The outcome of a force-release on one master of a quorum. `away`: the master certainly did not execute the request.
 */
export interface MasterReleaseOutcome {
  readonly name: string;
  readonly outcome: "released" | "already_gone" | "changed" | "away" | "unknown";
}

/** Parameters of an extension: the new lease, who extends it, and the reason. */
export type ExtendParams = Pick<ExtendRequest, "leaseMs" | "by" | "reason">;

export type ForceReleaseResult = ForceReleaseReply & { readonly masters?: readonly MasterReleaseOutcome[] };

/** The verbs for the locks of a target. */
export interface LockVerbs {
  /**
   * The id of this client, which is the prefix of its tokens. Force-releases of its holds are published on the channel
   * with this id.
   */
  readonly clientId: string;
  acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant>;
  /** Acquires all locks, or none of them. While the request waits, it holds none of the locks. */
  acquireAll(keys: readonly Key[], options: AcquireOptions): Promise<AcquiredGroup>;
  reenter(hold: VerbHold, options?: RenewOptions): Promise<Grant>;
  renew(hold: VerbHold, options?: RenewOptions): Promise<Grant>;
  /**
   * Renews many holds. Returns the results in the same order as `holds`, and never rejects. Repeating the call changes
   * only the leases, so it needs no request id.
   */
  renewHolds(holds: readonly RenewalTarget[]): Promise<PromiseSettledResult<Grant>[]>;
  release(hold: VerbHold, options?: ReleaseOptions): Promise<Released>;
  /** Converts a writer's hold to a reader's hold with the same fencing token. A repeated call changes nothing. */
  downgrade(hold: VerbHold, onSend?: () => void): Promise<Grant>;
  verify(hold: VerbHold): Promise<HoldStatus>;
  /**
   * Stores the answer to a release request. Repeating the call changes nothing.
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
 * Called when a hold begins (`acquired`), and when a release leaves the lock free (`released`). Receives the key and
 * the fencing token of the hold.
 */
export type HoldChangeListener = (change: "acquired" | "released", key: Key, fence: string) => void;

/** The verbs for the locks of a target, and the actions of operators on these locks. */
export interface OperatorVerbs extends LockVerbs {
  /**
   * Sets the listener for holds that `acquire` or `reserve` grants and for releases that leave a lock free. A later
   * listener replaces an earlier one. Not available on a quorum. Does not report read-lock holds or semaphore holds.
   */
  onHoldChange?(listener: HoldChangeListener): void;
  /**
   * Force-releases one hold of any lock, including locks that clients are not allowed to acquire.
   *
   * @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome
   */
  forceRelease(seen: HeldObservation, ask: ForceReleaseParams): Promise<ForceReleaseResult>;
  /**
   * Extends one hold of any lock, including locks that clients are not allowed to acquire.
   *
   * @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome
   */
  extend(seen: HeldObservation, ask: ExtendParams): Promise<ExtendReply>;
  /**
   * Asks the client of a Lockkeeper hold to release the hold, even if clients are not allowed to acquire the lock.
   *
   * @returns the outcome `unsupported` if the hold cannot receive release requests
   * @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome
   */
  requestRelease(
    seen: HeldObservation,
    holder: SeenHolder,
    ask: RequestReleaseOptions,
  ): Promise<RequestReleaseReply>;
}
