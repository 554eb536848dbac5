import { RawLock } from "../../../lib/contract/raw-lock.ts";
import { explainRedisFailure } from "../../locks/verbs/explain-redis-failure.ts";
import { readRawCopies } from "../../operator/raw-lock.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { RAW_LOCK } from "../openapi/examples/locks.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** What stands in Redis, as nobody has interpreted it. */
export function createRawRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/locks/{key}/raw",
      operationId: "getRawLock",
      tag: "Locks",
      access: "read",
      summary: "Look at one lock as it stands in Redis",
      description:
        "Its type, its time to live and what it holds, cut to limits. Of a key that is no lock nothing is told: this is no way to read a database. Of a quorum each master's copy.",
      response: {
        status: 200,
        schema: RawLock,
        example: RAW_LOCK,
        description: "What is there; a free key has the type `none`.",
      },
      errors: ["not_a_lock", "key_not_allowed"],
      handle: async ({ target, key }) =>
        createJsonResponse(
          200,
          await explainRedisFailure(() => readRawCopies(target, key), "The lock cannot be looked at now."),
        ),
    }),
  ];
}
