import { z } from "zod";

/**
 * HTTP status for each error code. Routes, the OpenAPI document, the problem pages and docs/problems.md use this table.
 */
export const STATUS_OF_CODE = {
  invalid: 400,
  idempotency_key_required: 400,
  invalid_hold_id: 400,
  unauthenticated: 401,
  forbidden: 403,
  read_only: 403,
  not_owner: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  held: 409,
  not_a_lock: 409,
  unit_conflict: 409,
  kind_conflict: 409,
  limit_conflict: 409,
  changed: 409,
  unverified: 409,
  release_request_unsupported: 409,
  condition_unsupported: 409,
  timeout: 409,
  deadlock: 409,
  last_admin: 409,
  already_exists: 409,
  api_key_inactive: 409,
  lost: 410,
  too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  key_not_allowed: 422,
  reason_required: 422,
  format_required: 422,
  confirm_required: 422,
  rate_limited: 429,
  quota_exceeded: 429,
  queue_full: 429,
  too_many_waiting: 429,
  too_many_streams: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
  not_replicated: 503,
  unknown_outcome: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF_CODE;

/**
 * The error codes of the API and `aborted`, which means that the caller's signal was aborted. The server never sends
 * `aborted`, because the signal of a request on the server aborts only when the client disconnects.
 */
export type LibraryErrorCode = ErrorCode | "aborted";

export const ERROR_CODES = Object.keys(STATUS_OF_CODE) as [ErrorCode, ...ErrorCode[]];

export const TITLE_OF_CODE: Record<ErrorCode, string> = {
  invalid: "The request is invalid",
  unauthenticated: "Credentials are missing or invalid",
  forbidden: "The credentials do not grant this access",
  read_only: "The lock or its target is read-only",
  not_found: "The resource does not exist",
  method_not_allowed: "The resource does not support this method",
  held: "The lock is held",
  lost: "The hold has ended",
  not_owner: "Another API key or operator acquired the hold",
  not_a_lock: "The key holds data that is not a lock",
  unit_conflict: "The key holds a deadline in another unit",
  kind_conflict: "The key is used as another kind of lock",
  limit_conflict: "The semaphore has a different limit",
  changed: "The lock has changed",
  idempotency_key_required: "An Idempotency-Key is required",
  invalid_hold_id: "The holdId is invalid",
  unverified: "The hold could not be verified",
  release_request_unsupported: "The holder does not receive release requests",
  condition_unsupported: "The lock has no conditions",
  idempotency_key_reused: "The Idempotency-Key was used for another request",
  timeout: "The wait for the lock timed out",
  deadlock: "The wait is part of a deadlock",
  last_admin: "The last administrator must remain",
  already_exists: "The name is already in use",
  api_key_inactive: "The API key is expired or revoked",
  rate_limited: "Too many requests",
  quota_exceeded: "The quota of live holds is used up",
  queue_full: "Too many clients are waiting for the lock",
  too_many_waiting: "Too many of your requests are waiting",
  too_many_streams: "Too many event streams are open",
  too_large: "The request body is too large",
  uri_too_long: "The URL is too long",
  headers_too_large: "The request headers are too large",
  request_timeout: "The request did not arrive in time",
  unsupported_media_type: "The request body is not JSON",
  key_not_allowed: "The key cannot be locked",
  reason_required: "A reason is required",
  format_required: "The lock format is required",
  confirm_required: "A confirmation is required",
  internal: "Internal error",
  unavailable: "The service is unavailable",
  not_replicated: "Too few replicas confirmed the change",
  unknown_outcome: "The outcome is unknown",
};

/**
 * Returns the `type` of a problem: the path of the page that documents the code.
 *
 * The path is a relative reference (RFC 9457), so it refers to the server that sent the problem.
 *
 * @param basePath the path at which the server is mounted; "" at the root of its host
 */
export function buildProblemType(code: ErrorCode, basePath: string): string {
  return `${basePath}/problems/${code}`;
}

/** A problem document (RFC 9457). Each code adds its own fields. */
export const Problem = z
  .looseObject({
    type: z.string().meta({
      description: "URL of the page that documents the code, relative to the URL of the request.",
      example: buildProblemType("held", ""),
    }),
    title: z.string(),
    status: z.int().min(400).max(599),
    code: z.enum(ERROR_CODES),
    detail: z.string().meta({ description: "What happened in this case, and what to do." }),
    requestId: z.string().optional(),
  })
  .meta({ id: "Problem", description: "A problem document (RFC 9457). Each code adds fields of its own." });

export type Problem = z.infer<typeof Problem>;

/** The input to `buildProblem`: the code of a problem document and the members that the code does not determine. */
export interface ProblemContent {
  readonly code: ErrorCode;
  readonly detail: string;
  /** Additional fields that are specific to the code. */
  readonly facts: object;
  readonly requestId: string | undefined;
}

/**
 * Builds a problem document (RFC 9457).
 *
 * @param basePath the path at which the server is mounted; "" at the root of its host
 */
export function buildProblem(content: ProblemContent, basePath: string): Problem {
  const { code, detail, facts, requestId } = content;
  return {
    type: buildProblemType(code, basePath),
    title: TITLE_OF_CODE[code],
    status: STATUS_OF_CODE[code],
    code,
    detail,
    requestId,
    ...facts,
  };
}
