import { AwaitedHold, AwaitInput, Signalled } from "../../../../lib/contract/actions/condition.ts";
import { type Hold, LEASE_MS_MAX } from "../../../../lib/contract/actions/verb.ts";
import { formatHoldId } from "../../../formats/hold-id.ts";
import type { ConditionGrant } from "../../../locks/verbs/contract/condition-verbs.ts";
import { toVerbCall } from "../../../stats/verb-call.ts";
import { type ApiResponse, createJsonResponse } from "../../http/http-exchange.ts";
import { AWAITED, SIGNALLED } from "../../openapi/examples/holds.ts";
import { defineHoldRoute, type HoldCall, type Route } from "../../routing/route.ts";
import type { Services } from "../../routing/services.ts";
import { toVerbHold } from "../holds.ts";
import { Wait } from "./acquire-request.ts";
import { type GrantResponse, respondWithGrant } from "./respond-with-grant.ts";

const CONDITION_PARAM = {
  description: "Name of the condition: 1 to 64 letters, digits, dots, `_` or `-`. Any name is a condition.",
  example: "not-empty",
};
const ERRORS = [
  "lost",
  "not_owner",
  "condition_unsupported",
  "key_not_allowed",
  "idempotency_key_reused",
  "unknown_outcome",
] as const;

/** Creates the routes that wait for and signal the conditions of a held lock. */
export function createConditionRoutes(services: Pick<Services, "pendingRequests" | "quotas">): Route[] {
  return [
    createAwaitRoute(services),
    createSignalRoute({
      who: "one",
      path: "/holds/{holdId}/conditions/{id}/signal",
      operationId: "signalCondition",
      summary: "Signal one client that waits for a condition",
      description:
        "Wakes the client that has waited longest. It acquires the lock after you have released it. Send an `Idempotency-Key`: without one, a retry after a lost response signals another client.",
    }),
    createSignalRoute({
      who: "all",
      path: "/holds/{holdId}/conditions/{id}/signal-all",
      operationId: "signalAllOnCondition",
      summary: "Signal all clients that wait for a condition",
      description:
        "Wakes all clients that wait. They acquire the lock one after the other once you have released it, usually in the order in which they began to wait.",
    }),
  ];
}

function createAwaitRoute(services: Pick<Services, "pendingRequests" | "quotas">): Route {
  return defineHoldRoute({
    method: "POST",
    path: "/holds/{holdId}/conditions/{id}/await",
    operationId: "awaitCondition",
    tag: "Holds",
    idParam: CONDITION_PARAM,
    access: "lock",
    summary: "Give up a lock and wait for a condition",
    description:
      "Gives up the hold with its whole count, waits for a signal of another holder, and acquires the lock again with the same count, lease and owner. The response is the new hold: it has another `holdId` and a larger fencing token. If the request is refused before the hold was given up (`queue_full`, `too_many_waiting`, `condition_unsupported`), the hold is unchanged. After `timeout`, nothing is held. If you disconnect, the wait ends without the lock and a signal passes to the next client; with an `Idempotency-Key`, repeat the request within 5 s to continue it. Supported for plain and fair locks of the format `redisson`, not on quorum targets.",
    body: AwaitInput,
    examples: {
      "Wait up to 10 s, then 5 s for the lock": { waitMs: 10_000, reacquireMs: 5000 },
    },
    idempotent: "by_lock",
    response: { status: 200, schema: AwaitedHold, example: AWAITED, description: "The new hold." },
    errors: [...ERRORS, "timeout", "queue_full", "too_many_waiting", "not_replicated"],
    verb: ({ target, hold, body: { waitMs } }) =>
      toVerbCall("await", target.name, hold.key, { ...hold, waitMs }),
    handle: (call) => awaitCondition(call, services),
  });
}

function awaitCondition(
  { target, hold, id, body, requestId, principal, request }: HoldCall<Record<string, unknown>, AwaitInput>,
  { pendingRequests, quotas }: Pick<Services, "pendingRequests" | "quotas">,
): Promise<ApiResponse> {
  const { waitMs, reacquireMs } = body;
  pendingRequests.assertCapacity(principal.id);
  const wait = new Wait(pendingRequests.create(principal.id, request.detach()));
  const { key, kind, token } = hold;
  const lock = { target: target.name, key, kind };
  const claim = quotas.reclaim(principal, lock, { owner: principal.name });
  const awaiting = target.locks.conditions.await(toVerbHold(hold, principal), id, {
    ...{ waitMs, reacquireMs, requestId, signal: wait.request, onSend: wait.onSend },
    // During the wait, the hold still counts towards the quota, so that the lock can be acquired again.
    onGivenUp: () => {
      quotas.forget({ ...lock, token });
      claim.count();
    },
  });
  // The maximum lease is assumed, because the actual lease is known only after the lock has been acquired again.
  const context = {
    target: target.name,
    principal,
    requestId,
    claim,
    leaseMs: LEASE_MS_MAX,
    graceMs: 0,
    wait,
  };
  return respondWithGrant(awaiting, context, describeAwaited);
}

function describeAwaited({ isSignalled }: ConditionGrant, _hold: Hold, waitedMs?: number): GrantResponse {
  return {
    status: 200,
    fields: { signalled: isSignalled },
    verbEnd: { outcome: isSignalled ? "signalled" : "granted", waitedMs },
  };
}

interface SignalRoute extends Pick<Route, "path" | "operationId" | "summary" | "description"> {
  readonly who: "one" | "all";
}

function createSignalRoute({ who, ...declared }: SignalRoute): Route {
  return defineHoldRoute({
    ...declared,
    method: "POST",
    tag: "Holds",
    idParam: CONDITION_PARAM,
    access: "lock",
    idempotent: "by_lock",
    response: { status: 200, schema: Signalled, example: SIGNALLED, description: "Result of the signal." },
    errors: ERRORS,
    verb: ({ target, hold }) => toVerbCall("signal", target.name, hold.key, hold),
    handle: async ({ target, hold, id, requestId, principal }) => {
      const { conditions } = target.locks;
      const { count, asOf } = await conditions.signal(toVerbHold(hold, principal), id, { who, requestId });
      const body = { holdId: formatHoldId(hold), signalled: count, asOf };
      return createJsonResponse(200, body, {
        verbEnd: { outcome: count > 0 ? "signalled" : "none_waiting" },
      });
    },
  });
}
