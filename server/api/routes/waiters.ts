import { LockWaiters } from "../../../lib/contract/waiters.ts";
import { explainRedisFailure } from "../../operator/explain-redis-failure.ts";
import { readLockWaiters } from "../../operator/lock-waiters.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { LOCK_WAITERS } from "../openapi/examples/locks.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** Creates the route that lists the waiters of a lock. */
export function createWaitersRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/locks/{key}/waiters",
      operationId: "getLockWaiters",
      tag: "Locks",
      access: "read",
      summary: "List the waiters of a lock",
      description:
        "Returns the visible waiters of a lock from Redis, and how reliable their order is. Lists clients that wait through Lockkeeper, the queue of Redisson's fair lock, jobs of sidekiq-unique-jobs, and the waiting writer of DistributedLock. Clients that poll are not visible.",
      response: {
        status: 200,
        schema: LockWaiters,
        example: LOCK_WAITERS,
        description: "The waiters.",
      },
      errors: ["not_a_lock", "key_not_allowed"],
      handle: async ({ target, key }) =>
        createJsonResponse(
          200,
          await explainRedisFailure(() => readLockWaiters(target, key), "The waiters cannot be read now."),
        ),
    }),
  ];
}
