import { RawLock } from "../../../lib/contract/raw-lock.ts";
import { explainRedisFailure } from "../../operator/explain-redis-failure.ts";
import { readRawCopies } from "../../operator/raw-lock.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { RAW_LOCK } from "../openapi/examples/locks.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** Creates the route that returns the content of a lock as it is stored in Redis. */
export function createRawRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/locks/{key}/raw",
      operationId: "getRawLock",
      tag: "Locks",
      access: "read",
      summary: "Get the raw content of a lock",
      description:
        "Returns the type, the time to live and the content of the key in Redis, truncated to limits. The content of keys that are not locks is not returned. On a quorum target, returns a copy per master.",
      response: {
        status: 200,
        schema: RawLock,
        example: RAW_LOCK,
        description: "The content. A free key has the type `none`.",
      },
      errors: ["not_a_lock", "key_not_allowed"],
      handle: async ({ target, key }) =>
        createJsonResponse(
          200,
          await explainRedisFailure(() => readRawCopies(target, key), "The lock cannot be read now."),
        ),
    }),
  ];
}
