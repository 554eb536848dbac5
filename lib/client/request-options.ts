import type { ApiRequest } from "./api-transport.ts";
import type { HoldLease } from "./hold-lease.ts";

/**
 * Time limit for one attempt in ms, in addition to `waitMs`. The server responds within 2 s, so a response that takes
 * longer has been lost.
 */
export const TIMEOUT_MS = 2500;
/** Time in ms for which a failed request is retried, except for requests that are limited by the deadline of a hold. */
export const RETRY_MS = 5000;
/**
 * Fractions of the lease and of its remaining time to which one attempt is limited, whichever is longer. Leaves time
 * for several attempts.
 */
const TRY_SHARE_OF_LEASE = 1 / 6;
const TRY_SHARE_OF_REST = 1 / 3;
const TRY_MS_MIN = 50;

/**
 * Returns the time limits for a request about a hold. Retries end at the deadline of the hold, because a later response
 * would be useless.
 */
export function computeLimits(lease: HoldLease): Pick<ApiRequest, "retryForMs" | "timeoutMs"> {
  const remainingMs = lease.remainingMs();
  const tryMs = Math.max(TRY_MS_MIN, lease.leaseMs * TRY_SHARE_OF_LEASE, remainingMs * TRY_SHARE_OF_REST);
  return { retryForMs: remainingMs, timeoutMs: Math.min(TIMEOUT_MS, tryMs) };
}

/**
 * Creates a random `Idempotency-Key`. Does not use `crypto.randomUUID`, because browsers do not provide it on pages
 * that are served without TLS.
 */
export function createIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
