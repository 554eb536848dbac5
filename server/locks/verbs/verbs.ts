import type { Grant, Released, Verified, VerifyInput } from "../../../lib/contract/actions/verb.ts";
import type { TimestampUnit, WritableFormat } from "../../../lib/contract/format.ts";
import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { ForceReleaseParams } from "../../formats/lock-format.ts";
import type { ExtendRequest } from "../../formats/lock-writer.ts";
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

export interface AcquireOptions {
  readonly owner: string;
  /** Who asks, by an id that stays. What it acquires, it alone renews, releases and enters again; undefined: anybody. */
  readonly principal?: string | undefined;
  readonly leaseMs: number;
  readonly reentrant: boolean;
  /** `redisson` by default. */
  readonly format?: WritableFormat | undefined;
  /** What `timestamp` writes its deadline in; `ms` by default. */
  readonly unit?: TimestampUnit | undefined;
  readonly record?: OwnerRecord | undefined;
  /** For how long nobody may take the lock after a lease that ran out; a clean release ends it at once. */
  readonly graceMs?: number | undefined;
  /** For how long the lock stays taken at least, also when it is released before. */
  readonly minHoldMs?: number | undefined;
  /** How long to wait for a lock that is held; 0 by default. */
  readonly waitMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignalLike | undefined;
  /** Called before each look is sent: a deadline counts from there. */
  readonly onSend?: (() => void) | undefined;
  /** The caller's own id of this request; repeating it changes nothing. */
  readonly requestId?: string | undefined;
}

export interface RenewOptions {
  readonly owner: string;
  /** As it was acquired with. */
  readonly principal?: string | undefined;
  readonly leaseMs: number;
  readonly format?: WritableFormat | undefined;
  readonly requestId?: string | undefined;
  /** Called before each try is sent: a deadline counts from the last. */
  readonly onSend?: () => void;
}

export interface ReleaseOptions {
  readonly owner: string;
  /** As it was acquired with. */
  readonly principal?: string | undefined;
  readonly format?: WritableFormat | undefined;
  /** For how long nobody may take the lock after this. */
  readonly reservedMs?: number | undefined;
  readonly requestId?: string | undefined;
}

export interface ReserveOptions {
  /** Who reserves it; the holder is shown as `lockkeeper:reserve:<by>`. */
  readonly by: string;
  /** Who asks, by an id that stays: nobody else is answered what a request of the same id came to. */
  readonly principal?: string | undefined;
  readonly reservedMs: number;
  readonly format?: WritableFormat | undefined;
  readonly unit?: TimestampUnit | undefined;
  /** Why; shown as the purpose of the hold. */
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
}

/** A grant, and how to take it back should it never reach the one who asked. */
export interface AcquiredGrant {
  readonly grant: Grant;
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
  acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant>;
  renew(key: Key, options: RenewOptions): Promise<Grant>;
  release(key: Key, options: ReleaseOptions): Promise<Released>;
  verify(key: Key, ask: VerifyInput): Promise<Verified>;
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
