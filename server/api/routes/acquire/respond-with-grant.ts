import type { Hold } from "../../../../lib/contract/actions/verb.ts";
import { canAccess, type Principal } from "../../../auth/principal.ts";
import { AbortedError, DeadlockError } from "../../../errors/lock-errors.ts";
import type { AcquiredGrant } from "../../../locks/verbs/contract/grant.ts";
import { hideSteps } from "../../../locks/waiting/deadlock-error.ts";
import type { HoldClaim } from "../../../quotas/hold-claim.ts";
import { toHold } from "../../http/hold-json.ts";
import { type ApiResponse, createJsonResponse } from "../../http/http-exchange.ts";
import type { Wait } from "./acquire-request.ts";

/** The data of a request that is retained while it waits. Kept small, because thousands of requests may be waiting. */
export interface GrantRequest {
  readonly target: string;
  readonly principal: Principal;
  readonly requestId: string | undefined;
  readonly claim: HoldClaim;
  readonly leaseMs: number;
  readonly graceMs: number;
  /** The wait of the request, or `undefined` if it does not wait. */
  readonly wait?: Wait | undefined;
}

/** The parts of the response that each route determines. */
export interface GrantResponse extends Pick<ApiResponse, "verbEnd">, Partial<Pick<ApiResponse, "headers">> {
  readonly status: number;
  /** Fields of the body in addition to the fields of the hold. */
  readonly fields?: object;
}

/** Waits for the result of an acquire, updates the quota claim to match the result, and creates the response. */
export async function respondWithGrant<Acquired extends AcquiredGrant>(
  acquiring: Promise<Acquired>,
  request: GrantRequest,
  describe: (acquired: Acquired, hold: Hold, waitedMs: number | undefined) => GrantResponse,
): Promise<ApiResponse> {
  const { target, requestId, claim, leaseMs, graceMs, wait } = request;
  let acquired: Acquired;
  try {
    acquired = await acquiring;
  } catch (error) {
    claim.fail(error, leaseMs + graceMs);
    throw toWaitError(error, request);
  }
  claim.confirm(acquired.grant.remainingMs + graceMs, acquired.grant.token);
  const hold = toHold(target, acquired.grant);
  const waitedMs = wait?.waitedMs;
  const { status, fields, headers, verbEnd } = describe(acquired, hold, waitedMs);
  const body = waitedMs === undefined && fields === undefined ? hold : { ...hold, waitedMs, ...fields };
  // A client that has disconnected before it received the hold would never release it. With an Idempotency-Key, the
  // hold is kept, because a retry may already be in progress and must receive the same hold.
  const onUndelivered = requestId === undefined ? () => abandonGrant(acquired, claim) : undefined;
  return createJsonResponse(status, body, { headers, verbEnd, onUndelivered });
}

function toWaitError(error: unknown, { target, principal, wait }: GrantRequest): unknown {
  if (error instanceof DeadlockError) return hideUnseenSteps(error, target, principal);
  return error instanceof AbortedError && wait !== undefined ? wait.request.toWaitError(error) : error;
}

/** Removes steps from the deadlock in an error if the caller may neither read nor acquire their locks. */
function hideUnseenSteps(error: DeadlockError, target: string, principal: Principal): DeadlockError {
  return hideSteps(error, (key) =>
    (["lock", "read"] as const).some((access) => canAccess(principal, access, { target, key })),
  );
}

function abandonGrant({ abandon }: AcquiredGrant, claim: HoldClaim): void {
  claim.abandon();
  abandon();
}
