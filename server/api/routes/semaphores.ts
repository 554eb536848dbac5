import type { z } from "zod";
import {
  Latch,
  LatchInput,
  LatchQuery,
  Semaphore,
  SemaphoreInput,
} from "../../../lib/contract/actions/semaphore.ts";
import { toKeyFields } from "../../../lib/keys/key.ts";
import { AbortedError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import { AlreadyExistsError } from "../../errors/request-errors.ts";
import type { LatchCount } from "../../locks/verbs/contract/latch-verbs.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { defineTargetRoute, type Route, type TargetCall } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

const AS_OF = 1_795_216_496_123;
const LATCH_EXAMPLE: Latch = { target: "default", key: "latch:import:42", count: 3, asOf: AS_OF };
const ERRORS = ["not_a_lock", "kind_conflict", "key_not_allowed", "unknown_outcome"] as const;

/**
 * Creates the routes for the limits of semaphores and for count-down latches. Permits are acquired and released through
 * the routes for locks.
 */
export function createSemaphoreRoutes(services: Pick<Services, "pendingRequests">): Route[] {
  return [createLimitRoute(), createLatchRoute(), createCountDownRoute(), createReadLatchRoute(services)];
}

function createLimitRoute(): Route {
  return defineTargetRoute({
    method: "PUT",
    path: "/semaphores/{key}",
    operationId: "setSemaphoreLimit",
    tag: "Locks",
    access: "lock",
    summary: "Set the limit of a semaphore",
    description:
      "Sets the total number of permits, and creates a missing semaphore. No acquired permit ends: if more are acquired than the new limit, `available` is negative and none is granted until enough of them were released. Permits that become available wake clients that wait. Repeating the request changes nothing.",
    body: SemaphoreInput,
    examples: { "Allow 10 permits": { limit: 10 } },
    response: {
      status: 200,
      schema: Semaphore,
      example: {
        ...{ target: "default", key: "lock:exports", limit: 10, available: 7, acquired: 3, asOf: AS_OF },
      },
      description: "The permits of the semaphore.",
    },
    errors: ERRORS,
    audit: ({ body }) => ({ action: "set_semaphore_limit", details: body }),
    handle: async ({ target, key, body }) => {
      const permits = await target.locks.setLimit(key, body.limit);
      const { limit, available, acquired, previousLimit, asOf } = permits;
      const response = { target: target.name, ...toKeyFields(key), limit, available, acquired, asOf };
      const auditOutcome = { details: { previousLimit, available, acquired } };
      return createJsonResponse(200, response, { auditOutcome });
    },
  });
}

function createLatchRoute(): Route {
  return defineTargetRoute({
    method: "PUT",
    path: "/latches/{key}",
    operationId: "setLatchCount",
    tag: "Locks",
    access: "lock",
    summary: "Close a latch",
    description:
      "Closes an open latch with a count. A latch that is closed already is not changed (`already_exists`), unless the request repeats the one that closed it, with the same `Idempotency-Key`.",
    body: LatchInput,
    examples: { "Wait for 3 workers": { count: 3 } },
    idempotent: "by_lock",
    response: { status: 201, schema: Latch, example: LATCH_EXAMPLE, description: "The closed latch." },
    errors: [...ERRORS, "already_exists", "idempotency_key_reused"],
    audit: ({ body }) => ({ action: "set_latch_count", details: body }),
    handle: async ({ target, key, body, principal, requestId }) => {
      const caller = { principal: principal.id, requestId };
      const { isSet, ...latch } = await target.locks.latches.trySetCount(key, body.count, caller);
      if (isSet) return createJsonResponse(201, toLatch(target.name, latch));
      throw new AlreadyExistsError(
        `The latch is closed already, with a count of ${latch.count}. It was not changed.`,
        { field: "count" },
      );
    },
  });
}

function createCountDownRoute(): Route {
  return defineTargetRoute({
    method: "POST",
    path: "/latches/{key}/count-down",
    operationId: "countDownLatch",
    tag: "Locks",
    access: "lock",
    summary: "Count a latch down",
    description:
      "Decreases the count of a closed latch by one. At 0 the latch opens for all clients that wait. Send an `Idempotency-Key`: without one, a retry after a lost response counts again.",
    idempotent: "by_lock",
    response: { status: 200, schema: Latch, example: LATCH_EXAMPLE, description: "The latch." },
    errors: [...ERRORS, "idempotency_key_reused"],
    handle: async ({ target, key, principal, requestId }) => {
      const latch = await target.locks.latches.countDown(key, { principal: principal.id, requestId });
      return createJsonResponse(200, toLatch(target.name, latch));
    },
  });
}

function createReadLatchRoute(services: Pick<Services, "pendingRequests">): Route {
  return defineTargetRoute({
    method: "GET",
    path: "/latches/{key}",
    operationId: "getLatch",
    tag: "Locks",
    access: "read",
    summary: "Read a latch, or wait until it opens",
    description:
      "Returns the count of a latch, at once or as soon as it opens. An open latch has no key in Redis, so a name that was never used is an open latch. To wait for longer than one request, repeat it with the last `asOf` as `openedAfter`.",
    query: LatchQuery,
    response: { status: 200, schema: Latch, example: LATCH_EXAMPLE, description: "The latch." },
    errors: ["not_a_lock", "kind_conflict", "key_not_allowed", "too_many_waiting"],
    handle: async (call) =>
      createJsonResponse(200, toLatch(call.target.name, await readLatch(call, services))),
  });
}

type ReadCall = TargetCall<z.output<typeof LatchQuery>, unknown>;

async function readLatch(
  { target, key, query: { waitMs = 0, openedAfter }, principal, request }: ReadCall,
  { pendingRequests }: Pick<Services, "pendingRequests">,
): Promise<LatchCount> {
  const { latches } = target.locks;
  if (waitMs === 0) return await latches.getCount(key);
  pendingRequests.assertCapacity(principal.id);
  const pending = pendingRequests.create(principal.id, request.detach());
  try {
    return await latches.wait(key, { waitMs, openedAfterMs: openedAfter, signal: pending });
  } catch (error) {
    if (error instanceof WaitTimeoutError) {
      const latch = await latches.getCount(key);
      // The wait did not observe later changes, so `asOf` must not be later than its last observation.
      return { ...latch, asOf: Math.min(latch.asOf, error.facts.asOf) };
    }
    throw error instanceof AbortedError ? pending.toWaitError(error) : error;
  }
}

const toLatch = (target: string, { key, count, asOf }: LatchCount): Latch => ({
  target,
  ...toKeyFields(key),
  count,
  asOf,
});
