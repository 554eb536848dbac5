import { LockWaiters } from "../../../lib/contract/waiters.ts";
import { whileRedisAnswers } from "../../locks/verbs/explain-redis-failure.ts";
import { waitersLook } from "../../operator/lock-waiters.ts";
import { json } from "../http/http-exchange.ts";
import { LOCK_WAITERS } from "../openapi/examples/locks.ts";
import { type Route, targetRoute } from "../routing/route.ts";

/** Who waits for a lock. */
export function waitersRoutes(): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/locks/{key}/waiters",
      operationId: "getLockWaiters",
      tag: "Looking",
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
        json(
          200,
          await whileRedisAnswers(() => waitersLook(target, key), "Who waits cannot be looked at now."),
        ),
    }),
  ];
}
