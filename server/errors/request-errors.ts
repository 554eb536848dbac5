import { ErrorWithFacts, ErrorWithoutFacts } from "./lockkeeper-error.ts";

export interface TooManyWaitingFacts {
  /** As many requests of one caller may wait at once. */
  readonly limit: number;
}

export interface QuotaExceededFacts {
  /** Which quota: the number of live holds, or what they take in Redis. */
  readonly quota: "holds" | "bytes";
  readonly limit: number;
  readonly used: number;
}

export interface TooManyStreamsFacts {
  /** As many may be open at once. */
  readonly limit: number;
}

export interface RateLimitedFacts {
  /** Until it may be tried again. */
  readonly remainingMs: number;
  /** Of the limit on requests as such: so many a second in the long run, so many at once, and whose. */
  readonly perSecond?: number;
  readonly burst?: number;
  readonly per?: "caller" | "address";
}

export interface InvalidFacts {
  readonly field?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

export interface MethodNotAllowedFacts {
  /** As the header `Allow` has it. */
  readonly allowed: string;
}

/** A parameter is missing, malformed or out of range. Nothing was changed. */
export class InvalidError extends ErrorWithFacts<InvalidFacts> {
  readonly code = "invalid";
}

export class TooManyWaitingError extends ErrorWithFacts<TooManyWaitingFacts> {
  readonly code = "too_many_waiting";
}

/** The caller has as many live holds, or as many bytes of them, as its quota permits. */
export class QuotaExceededError extends ErrorWithFacts<QuotaExceededFacts> {
  readonly code = "quota_exceeded";
}

export class TooManyStreamsError extends ErrorWithFacts<TooManyStreamsFacts> {
  readonly code = "too_many_streams";
}

export class RateLimitedError extends ErrorWithFacts<RateLimitedFacts> {
  readonly code = "rate_limited";
}

export interface AlreadyExistsFacts {
  /** The member whose value is in use. */
  readonly field: string;
}

export interface ApiKeyInactiveFacts {
  readonly state: "expired" | "revoked";
}

export class AlreadyExistsError extends ErrorWithFacts<AlreadyExistsFacts> {
  readonly code = "already_exists";
}

export class ApiKeyInactiveError extends ErrorWithFacts<ApiKeyInactiveFacts> {
  readonly code = "api_key_inactive";
}

export class LastAdminError extends ErrorWithoutFacts {
  readonly code = "last_admin";
}

export class UnauthenticatedError extends ErrorWithoutFacts {
  readonly code = "unauthenticated";
}

export class ForbiddenError extends ErrorWithoutFacts {
  readonly code = "forbidden";
}

export class NotFoundError extends ErrorWithoutFacts {
  readonly code = "not_found";
}

export class MethodNotAllowedError extends ErrorWithFacts<MethodNotAllowedFacts> {
  readonly code = "method_not_allowed";
}

export class TooLargeError extends ErrorWithoutFacts {
  readonly code = "too_large";
}

export class UriTooLongError extends ErrorWithoutFacts {
  readonly code = "uri_too_long";
}

export class HeadersTooLargeError extends ErrorWithoutFacts {
  readonly code = "headers_too_large";
}

export class RequestTimeoutError extends ErrorWithoutFacts {
  readonly code = "request_timeout";
}

export class UnsupportedMediaTypeError extends ErrorWithoutFacts {
  readonly code = "unsupported_media_type";
}

/** A fault of ours; its cause is for the log alone. */
export class InternalError extends ErrorWithoutFacts {
  readonly code = "internal";
}
