import type { TimestampUnit, WritableFormat } from "../../../lib/contract/format.ts";
import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { HoldRef } from "../../formats/hold-id.ts";
import type { ForceReleaseParams } from "../../formats/lock-format.ts";
import type { ExtendRequest } from "../../formats/lock-requests.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { ExtendReply, ForceReleaseReply } from "../../formats/script-replies.ts";

/** As much of an AbortSignal as a wait needs. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: AbortListener): void;
  removeEventListener(type: "abort", listener: AbortListener): void;
}

export interface AbortListener {
  handleEvent(): void;
}

/** The caller of a verb. */
export interface HoldCaller {
  /**
   * The API key or operator, by an id that stays: it alone renews, releases and enters what it acquired. undefined for a
   * client of the library, which needs no other proof than the token.
   */
  readonly principal?: string | undefined;
}

/** A hold, and the caller of a verb on it. */
export interface VerbHold extends HoldRef, HoldCaller {
  /** Its label; of a release that reserves the lock, whom the reservation is named after. By default the token. */
  readonly owner?: string | undefined;
}

export interface AcquireOptions extends HoldCaller {
  /** A label for people; no script compares it. */
  readonly owner: string;
  readonly leaseMs: number;
  /** `redisson` by default. */
  readonly format?: WritableFormat | undefined;
  /** What `timestamp` writes its deadline in; `ms` by default. */
  readonly unit?: TimestampUnit | undefined;
  readonly record?: OwnerRecord | undefined;
  /** How often the client will renew, in ms: a renewal that does not come is then overdue. By default nothing is stated. */
  readonly renewEveryMs?: number | undefined;
  /** For how long nobody may take the lock after a lease that ran out; a clean release ends it at once. */
  readonly graceMs?: number | undefined;
  /** For how long the lock stays taken at least, also when it is released before. */
  readonly minHoldMs?: number | undefined;
  /** How long to wait for a lock that is held; 0 by default. */
  readonly waitMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignalLike | undefined;
  /** Called before each try is sent: a deadline counts from the last. */
  readonly onSend?: (() => void) | undefined;
  /** The caller's own id of this request; repeating it changes nothing. */
  readonly requestId?: string | undefined;
}

/** Of a renewal, and of a re-entry. */
export interface RenewOptions {
  /** By default the lease that the hold has. */
  readonly leaseMs?: number | undefined;
  readonly requestId?: string | undefined;
  /** Called before each try is sent: a deadline counts from the last. */
  readonly onSend?: () => void;
}

export interface ReleaseOptions {
  /** For how long nobody may take the lock after this. */
  readonly reservedMs?: number | undefined;
  /** Required while the count is above 1: without it a repeated request would be a second release. */
  readonly requestId?: string | undefined;
}

export interface ReserveOptions extends HoldCaller {
  /** Who reserves it; the holder is shown as `lockkeeper:reserve:<by>`. */
  readonly by: string;
  readonly reservedMs: number;
  readonly format?: WritableFormat | undefined;
  readonly unit?: TimestampUnit | undefined;
  /** Why; shown as the purpose of the hold. */
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
}

/** A hold as it was granted, renewed or entered. */
export interface Grant extends HoldRef {
  /** Its label. */
  readonly owner: string;
  /** Re-entrancy count. */
  readonly count: number;
  readonly leaseMs: number;
  /** What was left when Redis answered; counts from before the request was sent. */
  readonly remainingMs: number;
  /** Redis's clock, Unix milliseconds. */
  readonly asOf: number;
}

/** What a release came to. `still_held`: it gave back one count of several. */
export interface Released {
  readonly outcome: "released" | "still_held" | "not_held";
  /** What is left of the count. */
  readonly count: number;
  readonly asOf: number;
}

/** Whether a hold stands, and what is left of it. */
export type HoldStatus = ({ readonly held: true } & Grant) | { readonly held: false; readonly asOf: number };

/** A grant, and how to take it back should it never reach the one who asked. */
export interface AcquiredGrant {
  readonly grant: Grant;
  /** The same request id was granted this hold before. */
  readonly isReplayed?: boolean;
  abandon(): void;
}

/** What became of a hold at one master of a quorum. `away`: certainly nothing was done there. */
export interface MasterReleaseOutcome {
  readonly name: string;
  readonly outcome: "released" | "already_gone" | "changed" | "away" | "unknown";
}

/** For how long a hold is to stand at least, on whose word. */
export type ExtendParams = Pick<ExtendRequest, "leaseMs" | "by" | "reason">;

export type ForceReleaseResult = ForceReleaseReply & { readonly masters?: readonly MasterReleaseOutcome[] };

/** What can be asked of a target, be it one Redis or several. */
export interface LockVerbs {
  /** Of the tokens that it makes; a force-release is published on this client's channel. */
  readonly clientId: string;
  acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant>;
  /** Takes a hold once more. */
  reenter(hold: VerbHold, options?: RenewOptions): Promise<Grant>;
  renew(hold: VerbHold, options?: RenewOptions): Promise<Grant>;
  release(hold: VerbHold, options?: ReleaseOptions): Promise<Released>;
  verify(hold: VerbHold): Promise<HoldStatus>;
  reserve(key: Key, options: ReserveOptions): Promise<Grant>;
}

/** And what an operator may do beside them. */
export interface OperatorVerbs extends LockVerbs {
  /**
   * Frees one hold. Any key that holds a lock, lockable or not.
   *
   * @throws LockkeeperError not_a_lock, key_not_allowed, unavailable, unknown_outcome
   */
  forceRelease(seen: HeldObservation, ask: ForceReleaseParams): Promise<ForceReleaseResult>;
  /**
   * Gives one hold more time. Any key that holds a lock, lockable or not.
   *
   * @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome
   */
  extend(seen: HeldObservation, ask: ExtendParams): Promise<ExtendReply>;
}
