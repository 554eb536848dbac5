import { z } from "zod";

/**
 * Every way a call can fail, with its HTTP status. The only map from error to status: routes, the OpenAPI
 * document and the docs read it from here.
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
  lost: 409,
  not_a_lock: 409,
  unit_conflict: 409,
  changed: 409,
  unverified: 409,
  idempotency_key_reused: 409,
  timeout: 409,
  last_admin: 409,
  already_exists: 409,
  api_key_inactive: 409,
  too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  key_not_allowed: 422,
  reason_required: 422,
  format_required: 422,
  confirm_required: 422,
  rate_limited: 429,
  queue_full: 429,
  too_many_waiting: 429,
  too_many_streams: 429,
  headers_too_large: 431,
  aborted: 499,
  internal: 500,
  unavailable: 503,
  not_replicated: 503,
  unknown_outcome: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF_CODE;

export const ERROR_CODES = Object.keys(STATUS_OF_CODE) as [ErrorCode, ...ErrorCode[]];

export const TITLE_OF_CODE: Record<ErrorCode, string> = {
  invalid: "The request is not valid",
  unauthenticated: "Credentials are missing or wrong",
  forbidden: "These credentials may not do this",
  read_only: "This lock, or its target, is for looking at",
  not_found: "There is nothing at this address",
  method_not_allowed: "This address does not take this method",
  held: "The lock is held",
  lost: "The hold has ended",
  not_owner: "Another API key or operator acquired the hold",
  not_a_lock: "The key holds something that is not a lock",
  unit_conflict: "The key holds a deadline in the other unit",
  changed: "The hold is not the one that was expected",
  idempotency_key_required: "An Idempotency-Key is required",
  invalid_hold_id: "The holdId is not valid",
  unverified: "The hold could not be verified as the one that was seen",
  idempotency_key_reused: "The Idempotency-Key was used for another request",
  timeout: "The lock was not free in the time it was waited for",
  last_admin: "Nobody would be left who may do everything everywhere",
  already_exists: "The name is already in use",
  api_key_inactive: "The API key is expired or revoked",
  rate_limited: "Too many requests in a short time",
  queue_full: "Too many are waiting for this lock",
  too_many_waiting: "Too many requests are waiting",
  too_many_streams: "Too many streams are open",
  aborted: "The wait was given up",
  too_large: "The request is too large",
  uri_too_long: "The address is too long",
  headers_too_large: "The headers are too large",
  request_timeout: "The request did not arrive in time",
  unsupported_media_type: "The body is not JSON",
  key_not_allowed: "The key cannot be locked here",
  reason_required: "A reason is required",
  format_required: "The format of the lock is required",
  confirm_required: "The name of the target is required",
  internal: "Something went wrong on our side",
  unavailable: "Redis cannot be reached; nothing was done",
  not_replicated: "Too few replicas confirmed it in time",
  unknown_outcome: "Redis did not answer in time; it may or may not have been done",
};

/** RFC 9457 problem document; facts of the error stand beside the fixed members. */
export const Problem = z
  .looseObject({
    type: z.string().meta({ example: "https://lockkeeper.dev/problems/held" }),
    title: z.string(),
    status: z.int().min(400).max(599),
    code: z.enum(ERROR_CODES),
    detail: z.string().meta({ description: "What was wrong, what is allowed, what to do." }),
    requestId: z.string().optional(),
  })
  .meta({ id: "Problem", description: "RFC 9457 problem document with a closed set of codes." });

export type Problem = z.infer<typeof Problem>;
