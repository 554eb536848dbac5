import { AcquireAllInput, AcquiredHolds } from "../../../../lib/contract/actions/acquire-all.ts";
import { canAccess, type Principal } from "../../../auth/principal.ts";
import { AbortedError } from "../../../errors/lock-errors.ts";
import { ForbiddenError } from "../../../errors/request-errors.ts";
import type { AcquiredGroup } from "../../../locks/verbs/contract/grant.ts";
import type { AcquireOptions } from "../../../locks/verbs/contract/verbs.ts";
import type { HoldClaim } from "../../../quotas/hold-claim.ts";
import { toVerbCall } from "../../../stats/verb-call.ts";
import type { Target } from "../../../targets/target.ts";
import { toHold } from "../../http/hold-json.ts";
import { type ApiResponse, createJsonResponse } from "../../http/http-exchange.ts";
import { ACQUIRED_HOLDS } from "../../openapi/examples/holds.ts";
import { defineTargetRoute, type Route, type TargetCall } from "../../routing/route.ts";
import type { Services } from "../../routing/services.ts";
import { REPLAYED_HEADER, toAcquireOptions, Wait } from "./acquire-request.ts";

const KEYS = ["lock:orders:42", "lock:customers:7"];

const EXAMPLES = {
  "Acquire two locks for 30 s": { keys: KEYS },
  "Wait up to 10 s for both": { keys: KEYS, waitMs: 10_000, owner: "checkout@pod-7:311" },
};

/** Creates the route that acquires several locks in one request. */
export function createAcquireAllRoute(services: Pick<Services, "pendingRequests" | "quotas">): Route {
  return defineTargetRoute({
    method: "POST",
    path: "/locks/acquire",
    operationId: "acquireLocks",
    tag: "Holds",
    access: "lock",
    filtersByGrant: true,
    summary: "Acquire several locks",
    description:
      "Acquires all locks or none of them. Every check precedes the first change: the caller needs access to every key, and a key that holds other data fails the request. If a lock is held, the request fails with `held`, which names the lock; with `waitMs` it waits in the queue of that lock and holds nothing meanwhile, so requests for overlapping locks cannot deadlock. Each hold has its own fencing token and is renewed and released by its own `holdId`. On a Redis Cluster, the locks of each slot are acquired together and the slots one after the other, always in the same order.",
    body: AcquireAllInput,
    examples: EXAMPLES,
    idempotent: "by_lock",
    response: {
      status: 201,
      schema: AcquiredHolds,
      example: ACQUIRED_HOLDS,
      description: "The new holds.",
      headers: REPLAYED_HEADER,
    },
    errors: [
      "key_not_allowed",
      "not_a_lock",
      "unknown_outcome",
      "idempotency_key_reused",
      "not_replicated",
      "held",
      "timeout",
      "lost",
      "queue_full",
      "quota_exceeded",
      "too_many_waiting",
      "unit_conflict",
      "kind_conflict",
    ],
    verb: ({ target, body }) => toVerbCall("acquire_all", target.name, body.keys[0] ?? "", body),
    handle: (call) => acquireLocks(call, services),
  });
}

type AcquireAllCall = TargetCall<Record<string, unknown>, AcquireAllInput>;

async function acquireLocks(
  { target, body, requestId, request, principal }: AcquireAllCall,
  { pendingRequests, quotas }: Pick<Services, "pendingRequests" | "quotas">,
): Promise<ApiResponse> {
  const { keys, waitMs = 0, ...input } = body;
  assertAllAllowed(principal, target, keys);
  const options = toAcquireOptions(input, principal, requestId);
  const claims = quotas.claimAll(principal, target.name, keys, options);
  if (waitMs === 0) return await respond(target, keys, options, claims);
  // A waiting request holds nothing, so it does not count towards the quota until it acquires the locks.
  for (const claim of claims) claim.cancel();
  pendingRequests.assertCapacity(principal.id);
  const wait = new Wait(pendingRequests.create(principal.id, request.detach()));
  const waiting = { ...options, waitMs, signal: wait.request, onSend: wait.onSend };
  return await respond(target, keys, waiting, claims, wait);
}

/**
 * Asserts that the caller may acquire the locks of all keys.
 * @throws ForbiddenError
 */
function assertAllAllowed(principal: Principal, { name: target }: Target, keys: readonly string[]): void {
  const refused = keys.find((key) => !canAccess(principal, "lock", { target, key }));
  if (refused === undefined) return;
  const key = JSON.stringify(refused.slice(0, 100));
  throw new ForbiddenError(
    `${principal.name} does not have the required access: \`lock\` of the key ${key} on the target ${JSON.stringify(target)}. Nothing was acquired.`,
  );
}

async function respond(
  { name, locks }: Target,
  keys: readonly string[],
  options: AcquireOptions,
  claims: readonly HoldClaim[],
  wait?: Wait,
): Promise<ApiResponse> {
  const { leaseMs, graceMs = 0, requestId } = options;
  let acquired: AcquiredGroup;
  try {
    acquired = await locks.acquireAll(keys, options);
  } catch (error) {
    for (const claim of claims) claim.fail(error, leaseMs + graceMs);
    throw error instanceof AbortedError && wait !== undefined ? wait.request.toWaitError(error) : error;
  }
  for (const [at, claim] of claims.entries()) {
    const { remainingMs = leaseMs, token } = acquired.grants[at] ?? {};
    claim.confirm(remainingMs + graceMs, token);
  }
  const waitedMs = wait?.waitedMs;
  const response = toAcquiredHolds(name, acquired);
  // A client that has disconnected never releases the holds, unless it can repeat the request with its Idempotency-Key.
  const onUndelivered = requestId === undefined ? () => abandon(acquired, claims) : undefined;
  return createJsonResponse(201, waitedMs === undefined ? response : { ...response, waitedMs }, {
    headers: acquired.isReplayed ? { "idempotent-replayed": "true" } : {},
    onUndelivered,
    verbEnd: { outcome: "granted", waitedMs },
  });
}

function toAcquiredHolds(target: string, { grants }: AcquiredGroup): AcquiredHolds {
  return {
    holds: grants.map((grant) => toHold(target, grant)),
    remainingMs: Math.min(...grants.map(({ remainingMs }) => remainingMs)),
    asOf: Math.min(...grants.map(({ asOf }) => asOf)),
  };
}

function abandon(acquired: AcquiredGroup, claims: readonly HoldClaim[]): void {
  for (const claim of claims) claim.abandon();
  acquired.abandon();
}
