import type { ApiRequest } from "./api-transport.ts";
import type { HoldLease } from "./hold-lease.ts";

/** The time limit of one attempt, in ms. The server responds within 2 s, so after that the response was lost. */
export const TIMEOUT_MS = 2500;
/** How long to retry a failed acquire or release. */
export const RETRY_MS = 5000;
/** The fractions of the lease and of its remaining time that one attempt may take, so that several attempts fit. */
const TRY_SHARE_OF_LEASE = 1 / 6;
const TRY_SHARE_OF_REST = 1 / 3;
const TRY_MS_MIN = 50;

/** Returns time limits that end at the deadline of the hold, because a later response would be useless. */
export function computeLimits(lease: HoldLease): Pick<ApiRequest, "retryForMs" | "timeoutMs"> {
  const remainingMs = lease.remainingMs();
  const tryMs = Math.max(TRY_MS_MIN, lease.leaseMs * TRY_SHARE_OF_LEASE, remainingMs * TRY_SHARE_OF_REST);
  return { retryForMs: remainingMs, timeoutMs: Math.min(TIMEOUT_MS, tryMs) };
}

/**
 * Creates a random `Idempotency-Key`, without `crypto.randomUUID`, which is missing on pages that are served without
 * TLS.
 */
export function createIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
