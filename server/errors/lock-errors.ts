import type { UsedKind } from "../../lib/contract/format.ts";
import type { Holder } from "../../lib/contract/lock.ts";
import type { KeyFields } from "../../lib/keys/key.ts";
import { ErrorWithFacts, ErrorWithoutFacts } from "./lockkeeper-error.ts";

export type HolderFacts = Pick<Holder, "owner" | "count" | "fence" | "record">;

export interface HeldFacts extends KeyFields {
  readonly holders: readonly HolderFacts[];
  /** Time in ms until the lock or, for a semaphore, the next permit expires. `null` if no expiry is known. */
  readonly remainingMs: number | null;
  readonly asOf: number;
  /**
   * The numbers of available permits and of all permits. Set only for a semaphore, in which case `holders` is empty.
   */
  readonly permits?: { readonly available: number; readonly total: number | null };
  /** Whether an enclosing `withLock` call of the caller holds the lock. Set only by the client library. */
  readonly heldByCaller?: boolean;
}

/**
 * Facts about a lost hold. `holders` and `remainingMs` describe the current state of the lock, if the loss was detected
 * in Redis. `owner` and `fence` identify the lost hold, if its own client detected the loss.
 */
export interface LostFacts extends KeyFields {
  readonly holders?: readonly HolderFacts[];
  readonly remainingMs?: number | null;
  readonly owner?: string;
  readonly fence?: string | null;
}

export type NotOwnerFacts = KeyFields;

export interface NotALockFacts extends KeyFields {
  readonly redisType: string;
}

export interface UnitConflictFacts extends KeyFields {
  /** The unit of the deadline that is stored in the key. */
  readonly unit: "s" | "ms";
}

export interface KindConflictFacts extends KeyFields {
  /** The kind of lock that uses the key. */
  readonly kind: UsedKind;
}

export interface LimitConflictFacts extends KeyFields {
  /** Total number of permits of the semaphore. `null` if the semaphore does not exist. */
  readonly limit: number | null;
}

export interface QueueFullFacts extends KeyFields {
  readonly waiting: number;
}

export interface KeyNotAllowedFacts {
  /** The globs of lockable keys. A key must match at least one of them. Absent if no setting can permit this key. */
  readonly lockable?: readonly string[];
}

/**
 * The request cannot be granted at present, and it did not wait. For example, the lock is held (possibly by the caller
 * itself), too few permits are available, or a client that has waited longer is next.
 */
export class HeldError extends ErrorWithFacts<HeldFacts> {
  readonly code = "held";
}

/** The request could not be granted within `waitMs`. */
export class WaitTimeoutError extends ErrorWithFacts<HeldFacts> {
  readonly code = "timeout";
}

export interface DeadlockFacts extends KeyFields {
  /**
   * The steps of the cycle. In each step, `owner` waits for `key`, which the owner in the next step holds. The owner in
   * the first step holds the key in the last step. Steps with keys that the caller is not allowed to read are omitted.
   */
  readonly cycle: readonly { readonly owner: string; readonly key: string }[];
}

/** The wait was part of a deadlock, and the request had `onDeadlock: "refuse"`. The lock was not acquired. */
export class DeadlockError extends ErrorWithFacts<DeadlockFacts> {
  readonly code = "deadlock";
}

/** The caller's `AbortSignal` was aborted before the lock was acquired. */
export class AbortedError extends ErrorWithoutFacts {
  readonly code = "aborted";
}

/** Too many clients are waiting for the lock. */
export class QueueFullError extends ErrorWithFacts<QueueFullFacts> {
  readonly code = "queue_full";
}

/** The hold has ended, for example because it expired or was force-released. Another client might hold the lock now. */
export class LostError extends ErrorWithFacts<LostFacts> {
  readonly code = "lost";
}

export class NotOwnerError extends ErrorWithFacts<NotOwnerFacts> {
  readonly code = "not_owner";
}

/** The key contains data that is not a lock. The data was not changed. */
export class NotALockError extends ErrorWithFacts<NotALockFacts> {
  readonly code = "not_a_lock";
}

/** The key contains a `timestamp` lock whose deadline is in a different unit (`s` or `ms`) than requested. */
export class UnitConflictError extends ErrorWithFacts<UnitConflictFacts> {
  readonly code = "unit_conflict";
}

/** The key is used by a kind of lock that cannot coexist with the requested kind. */
export class KindConflictError extends ErrorWithFacts<KindConflictFacts> {
  readonly code = "kind_conflict";
}

/**
 * The limit of the semaphore differs from the requested limit or is lower than the requested number of permits, or the
 * semaphore does not exist.
 */
export class LimitConflictError extends ErrorWithFacts<LimitConflictFacts> {
  readonly code = "limit_conflict";
}

/** The key cannot be a lock, or does not match `lockable`. */
export class KeyNotAllowedError extends ErrorWithFacts<KeyNotAllowedFacts> {
  readonly code = "key_not_allowed";
}

export class IdempotencyKeyReusedError extends ErrorWithoutFacts {
  readonly code = "idempotency_key_reused";
}

/** The request has no Idempotency-Key, and it re-enters a hold or releases a hold with a count above 1. */
export class IdempotencyKeyRequiredError extends ErrorWithoutFacts {
  readonly code = "idempotency_key_required";
}

/** The client that holds the lock does not receive release requests, or the target is a quorum. */
export class ReleaseRequestUnsupportedError extends ErrorWithFacts<KeyFields> {
  readonly code = "release_request_unsupported";
}

/**
 * The hold does not support conditions. Only plain and fair locks in the `redisson` format support conditions, except
 * on a quorum. A hold with a minimum hold time cannot wait for a condition.
 */
export class ConditionUnsupportedError extends ErrorWithFacts<KeyFields> {
  readonly code = "condition_unsupported";
}

/** The string is not a valid `holdId`, or it identifies a hold of another lock or on another target. */
export class InvalidHoldIdError extends ErrorWithoutFacts {
  readonly code = "invalid_hold_id";
}
