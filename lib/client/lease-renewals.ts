import { ApiError, readProblem } from "./api-error.ts";
import type { ApiResponse } from "./api-transport.ts";
import type { LockkeeperError } from "./errors.ts";
import { createFieldError, type Grant, readReleaseRequest } from "./grant.ts";
import type { HoldLease } from "./hold-lease.ts";
import type { HoldRequests } from "./hold-requests.ts";
import { getRule, recordFailure, toError } from "./lease-failure.ts";
import type { RenewalOutcome } from "./lease-renewer.ts";
import type { Moment } from "./moment.ts";
import { readAmount, readList, readObject } from "./untrusted.ts";

/** The result of renewing one lease. */
type LeaseRenewal =
  | { readonly outcome: "renewed"; readonly grant: Grant }
  | { readonly outcome: "failed" | "refused"; readonly error: ApiError };

/**
 * Renews leases with one request and applies the results to the leases. A lease whose renewal fails is marked as in
 * jeopardy.
 *
 * @param onError called once per error code, even if several renewals failed with that code; not called for lost holds
 * @throws the error from the request unchanged if it is not an ApiError, which indicates a bug
 */
export async function renewLeases(
  requests: HoldRequests,
  leases: readonly HoldLease[],
  onError: (error: LockkeeperError) => void,
): Promise<RenewalOutcome[]> {
  let response: ApiResponse;
  try {
    response = await requests.renewMany(leases);
  } catch (cause) {
    const error = toError(cause);
    for (const lease of leases) lease.markInJeopardy();
    onError(error);
    return leases.map(() => (isRefusal(error) ? "refused" : "failed"));
  }
  const results = readList(readObject(response.value)?.results);
  const errors = new Map<string, LockkeeperError>();
  const outcomes = leases.map((lease, at) => {
    const renewal = readRenewal(lease, results?.[at], response);
    if (renewal.outcome === "renewed") {
      lease.applyGrant(renewal.grant);
      return renewal.outcome;
    }
    const error = recordFailure(lease, renewal.error);
    lease.markInJeopardy();
    if (error.code !== "lost") errors.set(error.code, error);
    return renewal.outcome;
  });
  for (const error of errors.values()) onError(error);
  return outcomes;
}

/**
 * Returns whether the server refused the renewal. An unknown route is not a refusal, because another instance may
 * support the route during an upgrade.
 */
function isRefusal(error: LockkeeperError): boolean {
  const isUnknownOperation = error.code === "not_found" || error.code === "method_not_allowed";
  return getRule(error) === "never" && !isUnknownOperation;
}

function readRenewal(
  lease: HoldLease,
  value: unknown,
  { status, sentAt }: { readonly status: number; readonly sentAt: Moment },
): LeaseRenewal {
  const { holdId, outcome, ...result } = readObject(value) ?? {};
  if (holdId !== lease.grant.holdId) return { outcome: "failed", error: createFieldError("holdId", status) };
  if (outcome !== "renewed") {
    const problem = readObject(result.problem) ?? {};
    const error = new ApiError(readProblem(problem, readAmount(problem.status) ?? 500));
    // An outcome that this client does not know, for example from a newer server, counts as `failed`.
    return { outcome: outcome === "lost" ? "refused" : "failed", error };
  }
  const leaseMs = readAmount(result.leaseMs);
  const leftMs = readAmount(result.remainingMs);
  if (leaseMs === undefined || leftMs === undefined)
    return { outcome: "failed", error: createFieldError("remainingMs", status) };
  const releaseRequested = readReleaseRequest(result.releaseRequested);
  return { outcome, grant: { ...lease.grant, leaseMs, leftMs, sentAt, releaseRequested } };
}
