import type { Hold } from "../../../../lib/contract/actions/verb.ts";
import { AbortedError } from "../../../errors/lock-errors.ts";
import type { AcquiredGrant } from "../../../locks/verbs/contract/grant.ts";
import type { HoldClaim } from "../../../quotas/hold-claim.ts";
import { toHold } from "../../http/hold-json.ts";
import { type ApiResponse, createJsonResponse } from "../../http/http-exchange.ts";
import type { Wait } from "./acquire-request.ts";

/** What remains of a request while it waits. Kept small, because thousands of requests may be waiting. */
export interface GrantRequest {
  readonly target: string;
  readonly requestId: string | undefined;
  readonly claim: HoldClaim;
  readonly leaseMs: number;
  readonly graceMs: number;
  /** Absent if the request does not wait. */
  readonly wait?: Wait | undefined;
}

/** The part of a response that differs between the routes. */
export interface GrantResponse extends Pick<ApiResponse, "verbEnd">, Partial<Pick<ApiResponse, "headers">> {
  readonly status: number;
  /** Fields in addition to those of the hold. */
  readonly fields?: object;
}

/** Awaits the outcome of a request for a hold, applies it to the quota claim, and creates the response. */
export async function respondWithGrant<Acquired extends AcquiredGrant>(
  acquiring: Promise<Acquired>,
  { target, requestId, claim, leaseMs, graceMs, wait }: GrantRequest,
  describe: (acquired: Acquired, hold: Hold, waitedMs: number | undefined) => GrantResponse,
): Promise<ApiResponse> {
  let acquired: Acquired;
  try {
    acquired = await acquiring;
  } catch (error) {
    claim.fail(error, leaseMs + graceMs);
    throw error instanceof AbortedError && wait !== undefined ? wait.request.toWaitError(error) : error;
  }
  claim.confirm(acquired.grant.remainingMs + graceMs, acquired.grant.token);
  const hold = toHold(target, acquired.grant);
  const waitedMs = wait?.waitedMs;
  const { status, fields, headers, verbEnd } = describe(acquired, hold, waitedMs);
  const body = waitedMs === undefined && fields === undefined ? hold : { ...hold, waitedMs, ...fields };
  // The client has disconnected without learning of this hold, so it would never release it. With an
  // Idempotency-Key, its retry may already be in progress and must receive this hold.
  const onUndelivered = requestId === undefined ? () => abandonGrant(acquired, claim) : undefined;
  return createJsonResponse(status, body, { headers, verbEnd, onUndelivered });
}

function abandonGrant({ abandon }: AcquiredGrant, claim: HoldClaim): void {
  claim.abandon();
  abandon();
}
