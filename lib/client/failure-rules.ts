import type { ErrorCode } from "../contract/error.ts";

/**
 * Whether and how a failed attempt is retried. `never`: the attempt is not retried. `not_done`: the attempt changed
 * nothing and is retried after a delay. `unknown`: the attempt may have been carried out. A `POST` is then retried only
 * if it has an idempotency key, and a request with another method is retried without one.
 */
export type RetryRule = "never" | "not_done" | "unknown";

/** Retry rule of each code, as documented in docs/api.md, "When a request fails". */
const RULE_OF_CODE = {
  invalid: "never",
  idempotency_key_required: "never",
  invalid_hold_id: "never",
  unauthenticated: "never",
  forbidden: "never",
  read_only: "never",
  not_owner: "never",
  not_found: "never",
  method_not_allowed: "never",
  request_timeout: "not_done",
  held: "never",
  not_a_lock: "never",
  unit_conflict: "never",
  kind_conflict: "never",
  limit_conflict: "never",
  changed: "never",
  unverified: "never",
  release_request_unsupported: "never",
  condition_unsupported: "never",
  timeout: "never",
  deadlock: "never",
  last_admin: "never",
  already_exists: "never",
  api_key_inactive: "never",
  lost: "never",
  too_large: "never",
  uri_too_long: "never",
  unsupported_media_type: "never",
  idempotency_key_reused: "never",
  key_not_allowed: "never",
  reason_required: "never",
  format_required: "never",
  confirm_required: "never",
  rate_limited: "not_done",
  quota_exceeded: "not_done",
  queue_full: "not_done",
  too_many_waiting: "not_done",
  too_many_streams: "not_done",
  headers_too_large: "never",
  internal: "unknown",
  unavailable: "not_done",
  // The change was made and then reverted, so a retry needs a new idempotency key.
  not_replicated: "never",
  unknown_outcome: "unknown",
} as const satisfies Readonly<Record<ErrorCode, RetryRule>>;

/** A problem code that this version of the client knows. */
export type ProblemCode = keyof typeof RULE_OF_CODE;

/** Returns whether the value is a problem code that this version of the client knows. */
export function isErrorCode(code: unknown): code is ProblemCode {
  return typeof code === "string" && Object.hasOwn(RULE_OF_CODE, code);
}

export function getRetryRule(code: ProblemCode): RetryRule {
  return RULE_OF_CODE[code];
}

/**
 * Returns the general code for an HTTP status. The general code replaces a code that the client does not know, for
 * example from a newer server.
 */
export function getGeneralCode(status: number): ProblemCode {
  if (status === 401) return "unauthenticated";
  if (status === 403) return "forbidden";
  if (status === 404) return "not_found";
  if (status === 408) return "request_timeout";
  if (status === 429) return "rate_limited";
  return status >= 500 ? "unknown_outcome" : "invalid";
}
