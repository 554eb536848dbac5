import { LockWaiters } from "../../../lib/contract/waiters.ts";
import { explainRedisFailure } from "../../locks/verbs/explain-redis-failure.ts";
import { readLockWaiters } from "../../operator/lock-waiters.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { LOCK_WAITERS } from "../openapi/examples/locks.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** Who waits for a lock. */
export function createWaitersRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/locks/{key}/waiters",
      operationId: "getLockWaiters",
      tag: "Locks",
      access: "read",
      summary: "Who waits for one lock, in which order and since when",
      description:
        "By name where that is written down: whoever waits by Lockkeeper, the queue of Redisson's fair lock, the jobs of sidekiq-unique-jobs, the writer that DistributedLock lets wait. Who waits by asking again and again is not seen by anybody.",
      response: {
        status: 200,
        schema: LockWaiters,
        example: LOCK_WAITERS,
        description: "Who waits, as it stands in Redis now.",
      },
      errors: ["not_a_lock", "key_not_allowed"],
      handle: async ({ target, key }) =>
        createJsonResponse(
          200,
          await explainRedisFailure(() => readLockWaiters(target, key), "Who waits cannot be looked at now."),
        ),
    }),
  ];
}
