import type { ApiErrorCode } from "./api-error.ts";
import type { OwnerRecord } from "./wire-types.ts";

/** A holder of a lock, as described in a problem document. */
export interface HolderFacts {
  readonly owner: string;
  readonly count: number;
  /** Fencing token as a decimal string; `null` if the lock was not acquired through Lockkeeper. */
  readonly fence: string | null;
  readonly record?: OwnerRecord;
}

export interface KeyFacts {
  readonly key: string;
  /** The bytes of the key in base64. Absent if they are valid UTF-8. */
  readonly keyBase64?: string;
}

export interface HeldFacts extends KeyFacts {
  /** The holders of the lock. Empty for a semaphore or a latch. */
  readonly holders: readonly HolderFacts[];
  /**
   * Permits of a semaphore; absent for other kinds. `available` is negative if more permits are acquired than the limit
   * allows. `total` is `null` if unknown.
   */
  readonly permits?: { readonly available: number; readonly total: number | null };
  /**
   * Milliseconds until the lock or, for a semaphore, the next permit expires unless it is renewed; `null` if no expiry
   * is known.
   */
  readonly remainingMs: number | null;
  /** Time on the Redis clock at which the lock or latch was read, in Unix milliseconds. */
  readonly asOf: number;
}

export interface DeadlockFacts extends KeyFacts {
  /**
   * The clients in the deadlock, in order. Each client waits for a lock that the next client holds, and the last client
   * waits for a lock that the first client holds. A client is omitted if you have no permission to read or acquire the
   * lock for which it waits.
   */
  readonly cycle: readonly DeadlockStep[];
}

/** A client in a deadlock. The client waits for the lock `key`. */
export interface DeadlockStep extends KeyFacts {
  readonly owner: string;
}

/**
 * Facts of a `LostError`. `owner` and `fence` are those of the lost hold. `holders` contains the current holders of the
 * lock, and is set only if the server reported the loss.
 */
export interface LostFacts extends KeyFacts {
  readonly holders?: readonly HolderFacts[];
  readonly owner?: string;
  readonly fence?: string | null;
}

export interface QueueFullFacts extends KeyFacts {
  readonly waiting: number;
}

export interface NotALockFacts extends KeyFacts {
  readonly redisType: string;
}

export interface UnitConflictFacts extends KeyFacts {
  /** Unit of the deadline that is stored in the key. */
  readonly unit: "s" | "ms";
}

export interface KeyNotAllowedFacts {
  /** Glob patterns. A key must match at least one of them. Absent if no setting can permit this key. */
  readonly lockable?: readonly string[];
}

export interface InvalidFacts {
  readonly field?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

export interface UnavailableFacts {
  /**
   * Reason code, such as `stopping` if the server is shutting down and another server may accept the request. Absent if
   * there is no specific reason, for example if the server or Redis did not respond.
   */
  readonly reason?: string;
  /** Milliseconds until the server grants locks again after a failover. Absent for other reasons. */
  readonly remainingMs?: number;
}

export interface NotReplicatedFacts {
  /** Number of replicas that must confirm a change. */
  readonly replicas: number;
  /** Number of replicas that confirmed the change. Absent if the master did not report the number. */
  readonly confirmed?: number;
}

/** Members of a problem document that are specific to the error code, not validated. */
export type OtherFacts = Readonly<Record<string, unknown>>;

/**
 * Base class of all client errors. `code` is from a closed set, `message` is human-readable, and `facts` are
 * machine-readable. If a request failed, `cause` is the error from the request, which contains the HTTP status and the
 * problem document if a server returned them.
 */
export abstract class LockkeeperError<Facts extends object = object> extends Error {
  abstract readonly code: ApiErrorCode;

  constructor(
    detail: string,
    readonly facts: Readonly<Facts>,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

/**
 * The lock could not be acquired immediately, and `waitMs` was 0. For example, the lock is held (possibly by this
 * client), too few permits are available, or another client has waited longer. `downgrade` also throws this error if
 * the hold has unreleased re-entries.
 */
export class HeldError extends LockkeeperError<HeldFacts> {
  override readonly name = "HeldError";
  readonly code = "held";
}

/** The lock could not be acquired, or the latch did not open, within `waitMs`. */
export class WaitTimeoutError extends LockkeeperError<HeldFacts> {
  override readonly name = "WaitTimeoutError";
  readonly code = "timeout";
}

/** The wait was part of a deadlock and `onDeadlock` was `refuse`. The lock was not acquired. */
export class DeadlockError extends LockkeeperError<DeadlockFacts> {
  override readonly name = "DeadlockError";
  readonly code = "deadlock";
}

/** The signal was aborted before the lock was acquired or the latch opened. */
export class AbortedError extends LockkeeperError<Record<string, never>> {
  override readonly name = "AbortedError";
  readonly code = "aborted";
}

/** The hold was released or force-released, or its lease expired. Another client may hold the lock. */
export class LostError extends LockkeeperError<LostFacts> {
  override readonly name = "LostError";
  readonly code = "lost";
}

/** Too many clients are waiting for the lock. */
export class QueueFullError extends LockkeeperError<QueueFullFacts> {
  override readonly name = "QueueFullError";
  readonly code = "queue_full";
}

/** The key contains data that is not a lock of the requested format. The data was not changed. */
export class NotALockError extends LockkeeperError<NotALockFacts> {
  override readonly name = "NotALockError";
  readonly code = "not_a_lock";
}

/** The key contains a `timestamp` lock whose deadline is in a different unit (`s` or `ms`) than requested. */
export class UnitConflictError extends LockkeeperError<UnitConflictFacts> {
  override readonly name = "UnitConflictError";
  readonly code = "unit_conflict";
}

/** The key cannot be the name of a lock, or matches none of the patterns that the server permits. */
export class KeyNotAllowedError extends LockkeeperError<KeyNotAllowedFacts> {
  override readonly name = "KeyNotAllowedError";
  readonly code = "key_not_allowed";
}

/** An option or argument is missing, unknown, malformed or out of range. Nothing was changed. */
export class InvalidError extends LockkeeperError<InvalidFacts> {
  override readonly name = "InvalidError";
  readonly code = "invalid";
}

/** The API key is missing, wrong, expired or revoked. */
export class UnauthenticatedError extends LockkeeperError<OtherFacts> {
  override readonly name = "UnauthenticatedError";
  readonly code = "unauthenticated";
}

/** The API key does not permit this operation, target or key. */
export class ForbiddenError extends LockkeeperError<OtherFacts> {
  override readonly name = "ForbiddenError";
  readonly code = "forbidden";
}

/**
 * No server could be reached, the server is starting or stopping, Redis could not be reached or refused the command, or
 * the server grants no locks for a while after a failover. Nothing was changed.
 */
export class UnavailableError extends LockkeeperError<UnavailableFacts> {
  override readonly name = "UnavailableError";
  readonly code = "unavailable";
}

/**
 * Too few replicas confirmed a change in time. If the change was an acquire, the lock has been released. Other changes,
 * such as renewals, were made but may be lost in a failover.
 */
export class NotReplicatedError extends LockkeeperError<NotReplicatedFacts> {
  override readonly name = "NotReplicatedError";
  readonly code = "not_replicated";
}

/**
 * The outcome of a request is unknown, for example because no server responded in time. The request may have been
 * carried out.
 */
export class UnknownOutcomeError extends LockkeeperError<OtherFacts> {
  override readonly name = "UnknownOutcomeError";
  readonly code = "unknown_outcome";
}

/**
 * Error codes without an error class of their own. `RefusedError` covers these codes, except `internal`, for which an
 * `UnknownOutcomeError` is thrown.
 */
export type OtherCode = Exclude<
  ApiErrorCode,
  | "held"
  | "timeout"
  | "deadlock"
  | "aborted"
  | "lost"
  | "queue_full"
  | "not_a_lock"
  | "unit_conflict"
  | "key_not_allowed"
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "unavailable"
  | "not_replicated"
  | "unknown_outcome"
>;

/**
 * The server refused the request for a reason that has no error class of its own, such as `rate_limited` or
 * `not_owner`. If `code` is `unexpected_response`, the response is not a valid Lockkeeper response.
 */
export class RefusedError extends LockkeeperError<OtherFacts> {
  override readonly name = "RefusedError";

  constructor(
    readonly code: OtherCode,
    detail: string,
    facts: OtherFacts,
    options?: ErrorOptions,
  ) {
    super(detail, facts, options);
  }
}
