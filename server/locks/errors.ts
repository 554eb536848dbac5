import { type ErrorCode, STATUS_OF_CODE, TITLE_OF_CODE } from "../../lib/contract/error.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import type { KeyFields } from "../../lib/contract/key.ts";
import type { Holder, Lock } from "../../lib/contract/lock.ts";

/**
 * What every failure is: a code of the closed set, a sentence for the reader, and facts for the program. Each code
 * has a class of its own below, so that `instanceof` tells both which failure it is and what it carries.
 */
export abstract class LockkeeperError extends Error {
  abstract readonly code: ErrorCode;
  /** Plain JSON; an answer over HTTP carries it as it is. */
  abstract readonly facts: object;

  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = new.target.name;
  }

  get status(): number {
    return STATUS_OF_CODE[this.code];
  }

  get title(): string {
    return TITLE_OF_CODE[this.code];
  }
}

abstract class WithFacts<Facts extends object> extends LockkeeperError {
  constructor(
    detail: string,
    readonly facts: Readonly<Facts>,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

abstract class WithoutFacts extends LockkeeperError {
  readonly facts: Readonly<Record<string, never>> = {};
}

export type HolderFacts = Pick<Holder, "owner" | "count" | "fence" | "record">;

export interface HeldFacts extends KeyFields {
  readonly holders: readonly HolderFacts[];
  /** null: no expiry. */
  readonly remainingMs: number | null;
  readonly asOf: number;
}

/** Who holds it instead is told by Redis; `owner` and `fence` by a hold that noticed it by itself. */
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

export interface QueueFullFacts extends KeyFields {
  readonly waiting: number;
}

export interface TooManyWaitingFacts {
  /** As many requests of one caller may wait at once. */
  readonly most: number;
}

export interface TooManyStreamsFacts {
  /** As many may be open at once. */
  readonly most: number;
}

export interface RateLimitedFacts {
  /** Until it may be tried again. */
  readonly remainingMs: number;
  /** Of the limit on requests as such: so many a second in the long run, so many at once, and whose. */
  readonly perSecond?: number;
  readonly burst?: number;
  readonly per?: "caller" | "address";
}

export interface KeyNotAllowedFacts {
  /** The globs a key has to match; absent when no setting would make this key a lock. */
  readonly lockable?: readonly string[];
}

export interface UnsureFacts {
  readonly lock: Lock;
  readonly version: string | null;
}

/** The hold that is there now; empty when the lock is free. */
export type ChangedFacts = Partial<Pick<Lock, "holders" | "remainingMs"> & UnsureFacts>;

export interface FormatRequiredFacts {
  /** Those that may be named. */
  readonly formats: readonly FormatName[];
  readonly lock: Lock;
}

export interface ConfirmRequiredFacts {
  /** What has to be sent. */
  readonly target: string;
}

export interface ReadOnlyFacts {
  readonly why: string;
  readonly instead?: string;
}

/** Empty when Redis is away. */
export interface UnavailableFacts {
  /** stopping: this server ends, and another one may answer. */
  readonly reason?: "failover_hold_off" | "stopping";
  /** Until locks are granted again. */
  readonly remainingMs?: number;
}

export interface NotReplicatedFacts {
  /** So many were asked for. */
  readonly replicas: number;
  /** So many confirmed it; absent when nobody could be asked. */
  readonly confirmed?: number;
}

export interface InvalidFacts {
  readonly field?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

export interface MethodNotAllowedFacts {
  /** As the header `Allow` has it. */
  readonly allowed: string;
}

// What a lock answers.

export class HeldError extends WithFacts<HeldFacts> {
  readonly code = "held";
}

export class WaitTimeoutError extends WithFacts<HeldFacts> {
  readonly code = "timeout";
}

export class AbortedError extends WithoutFacts {
  readonly code = "aborted";
}

export class QueueFullError extends WithFacts<QueueFullFacts> {
  readonly code = "queue_full";
}

export class LostError extends WithFacts<LostFacts> {
  readonly code = "lost";
}

export class NotOwnerError extends WithFacts<NotOwnerFacts> {
  readonly code = "not_owner";
}

export class NotALockError extends WithFacts<NotALockFacts> {
  readonly code = "not_a_lock";
}

export class UnitConflictError extends WithFacts<UnitConflictFacts> {
  readonly code = "unit_conflict";
}

export class KeyNotAllowedError extends WithFacts<KeyNotAllowedFacts> {
  readonly code = "key_not_allowed";
}

export class RequestIdReusedError extends WithoutFacts {
  readonly code = "request_id_reused";
}

// What an operator's release answers.

export class ChangedError extends WithFacts<ChangedFacts> {
  readonly code = "changed";
}

export class UnsureError extends WithFacts<UnsureFacts> {
  readonly code = "unsure";
}

export class ReasonRequiredError extends WithoutFacts {
  readonly code = "reason_required";
}

export class FormatRequiredError extends WithFacts<FormatRequiredFacts> {
  readonly code = "format_required";
}

export class ConfirmRequiredError extends WithFacts<ConfirmRequiredFacts> {
  readonly code = "confirm_required";
}

export class ReadOnlyError extends WithFacts<ReadOnlyFacts> {
  readonly code = "read_only";
}

// What Redis being away answers.

export class UnavailableError extends LockkeeperError {
  readonly code = "unavailable";

  constructor(
    detail: string,
    options?: ErrorOptions,
    readonly facts: Readonly<UnavailableFacts> = {},
  ) {
    super(detail, options);
  }
}

export class NotReplicatedError extends WithFacts<NotReplicatedFacts> {
  readonly code = "not_replicated";
}

export class UnknownOutcomeError extends WithoutFacts {
  readonly code = "unknown_outcome";
}

// What a request gets before it reaches a lock.

export class InvalidError extends WithFacts<InvalidFacts> {
  readonly code = "invalid";
}

export class TooManyWaitingError extends WithFacts<TooManyWaitingFacts> {
  readonly code = "too_many_waiting";
}

export class TooManyStreamsError extends WithFacts<TooManyStreamsFacts> {
  readonly code = "too_many_streams";
}

export class RateLimitedError extends WithFacts<RateLimitedFacts> {
  readonly code = "rate_limited";
}

export class LastAdminError extends WithoutFacts {
  readonly code = "last_admin";
}

export class UnauthenticatedError extends WithoutFacts {
  readonly code = "unauthenticated";
}

export class ForbiddenError extends WithoutFacts {
  readonly code = "forbidden";
}

export class NotFoundError extends WithoutFacts {
  readonly code = "not_found";
}

export class MethodNotAllowedError extends WithFacts<MethodNotAllowedFacts> {
  readonly code = "method_not_allowed";
}

export class TooLargeError extends WithoutFacts {
  readonly code = "too_large";
}

export class UriTooLongError extends WithoutFacts {
  readonly code = "uri_too_long";
}

export class HeadersTooLargeError extends WithoutFacts {
  readonly code = "headers_too_large";
}

export class RequestTimeoutError extends WithoutFacts {
  readonly code = "request_timeout";
}

export class UnsupportedMediaTypeError extends WithoutFacts {
  readonly code = "unsupported_media_type";
}

/** A fault of ours; its cause is for the log alone. */
export class InternalError extends WithoutFacts {
  readonly code = "internal";
}
