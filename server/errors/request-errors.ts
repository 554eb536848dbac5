import { ErrorWithFacts, ErrorWithoutFacts } from "./lockkeeper-error.ts";

export interface TooManyWaitingFacts {
  /** Maximum number of waiting requests per caller. */
  readonly limit: number;
}

export interface QuotaExceededFacts {
  /** The exceeded quota: the number of live holds (`holds`), or their estimated size in Redis in bytes (`bytes`). */
  readonly quota: "holds" | "bytes";
  readonly limit: number;
  readonly used: number;
}

export interface TooManyStreamsFacts {
  /** The limit that was reached: the maximum number of open streams per instance or per caller. */
  readonly limit: number;
}

export interface RateLimitedFacts {
  /** Time in ms until the next request is accepted. */
  readonly remainingMs: number;
  /**
   * The rate limit in requests per second. `perSecond`, `burst` and `per` are absent if the request exceeded a
   * different kind of limit, such as the limit on CPU time.
   */
  readonly perSecond?: number;
  readonly burst?: number;
  readonly per?: "caller" | "address";
}

export interface InvalidFacts {
  readonly field?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

export interface MethodNotAllowedFacts {
  /** Value of the `Allow` header. */
  readonly allowed: string;
}

/** A parameter is missing, malformed or out of range. Nothing was changed. */
export class InvalidError extends ErrorWithFacts<InvalidFacts> {
  readonly code = "invalid";
}

export class TooManyWaitingError extends ErrorWithFacts<TooManyWaitingFacts> {
  readonly code = "too_many_waiting";
}

/** The caller has reached its quota for the number of live holds or for their total size in bytes. */
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
  /** The field whose value is already in use. */
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

/** An unexpected error, which indicates a bug in Lockkeeper. Its cause is logged but not sent to the client. */
export class InternalError extends ErrorWithoutFacts {
  readonly code = "internal";
}
