import type { UsedKind } from "../../lib/contract/format.ts";
import type { Holder } from "../../lib/contract/lock.ts";
import type { KeyFields } from "../../lib/keys/key.ts";
import { ErrorWithFacts, ErrorWithoutFacts } from "./lockkeeper-error.ts";

export type HolderFacts = Pick<Holder, "owner" | "count" | "fence" | "record">;

export interface HeldFacts extends KeyFields {
  readonly holders: readonly HolderFacts[];
  /** `null` if the lock has no TTL. */
  readonly remainingMs: number | null;
  readonly asOf: number;
  /** The permits of a semaphore, which names no holders. */
  readonly permits?: { readonly available: number; readonly total: number | null };
  /** Whether the enclosing `withLock` of the caller holds the lock. Set only by the client library. */
  readonly heldByCaller?: boolean;
}

/**
 * Facts about a lost hold. `holders` is set if the loss was found in Redis, `owner` and `fence` if the hold detected it
 * itself.
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
  /** The unit of the deadline that the key holds. */
  readonly unit: "s" | "ms";
}

export interface KindConflictFacts extends KeyFields {
  /** The kind of lock that uses the key. */
  readonly kind: UsedKind;
}

export interface LimitConflictFacts extends KeyFields {
  /** The total number of permits; `null` if there is no semaphore. */
  readonly limit: number | null;
}

export interface QueueFullFacts extends KeyFields {
  readonly waiting: number;
}

export interface KeyNotAllowedFacts {
  /** The globs that a key must match. Absent if no setting permits this key. */
  readonly lockable?: readonly string[];
}

/** Another client holds the lock, and `waitMs` was 0. */
export class HeldError extends ErrorWithFacts<HeldFacts> {
  readonly code = "held";
}

/** The lock was still held after `waitMs`. */
export class WaitTimeoutError extends ErrorWithFacts<HeldFacts> {
  readonly code = "timeout";
}

export interface DeadlockFacts extends KeyFields {
  /** Each step waits for a lock of the next one, and the last one for a lock of the first. */
  readonly cycle: readonly { readonly owner: string; readonly key: string }[];
}

/** The wait was part of a deadlock and its `onDeadlock` was `refuse`. The lock was not acquired. */
export class DeadlockError extends ErrorWithFacts<DeadlockFacts> {
  readonly code = "deadlock";
}

/** The signal was aborted before the lock was acquired. */
export class AbortedError extends ErrorWithoutFacts {
  readonly code = "aborted";
}

/** Too many clients are waiting for the lock. */
export class QueueFullError extends ErrorWithFacts<QueueFullFacts> {
  readonly code = "queue_full";
}

/** The hold expired or was force-released. Another client may hold the lock. */
export class LostError extends ErrorWithFacts<LostFacts> {
  readonly code = "lost";
}

export class NotOwnerError extends ErrorWithFacts<NotOwnerFacts> {
  readonly code = "not_owner";
}

/** The key holds other data, which was not changed. */
export class NotALockError extends ErrorWithFacts<NotALockFacts> {
  readonly code = "not_a_lock";
}

/** The key holds a `timestamp` lock whose deadline is in a different unit (`s` or `ms`) than requested. */
export class UnitConflictError extends ErrorWithFacts<UnitConflictFacts> {
  readonly code = "unit_conflict";
}

/** The key is used as a kind of lock that cannot share it with the requested one. */
export class KindConflictError extends ErrorWithFacts<KindConflictFacts> {
  readonly code = "kind_conflict";
}

/**
 * The limit of the semaphore differs from the requested one or is lower than the requested number of permits, or the
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

/** The count of the hold is above 1, and its release has no Idempotency-Key. */
export class IdempotencyKeyRequiredError extends ErrorWithoutFacts {
  readonly code = "idempotency_key_required";
}

/** The client that holds the lock does not read release requests, or the target is a quorum. */
export class ReleaseRequestUnsupportedError extends ErrorWithFacts<KeyFields> {
  readonly code = "release_request_unsupported";
}

/** The hold has no conditions: only plain and fair locks of the format `redisson` have, and not with a minimum hold time. */
export class ConditionUnsupportedError extends ErrorWithFacts<KeyFields> {
  readonly code = "condition_unsupported";
}

/** The text is not a valid `holdId`, or it identifies a hold of another lock. */
export class InvalidHoldIdError extends ErrorWithoutFacts {
  readonly code = "invalid_hold_id";
}
