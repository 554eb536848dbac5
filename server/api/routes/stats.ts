import { Stats, StatsQuery, TypicalTimes } from "../../../lib/contract/stats.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { STATS, TYPICAL_TIMES } from "../openapi/examples/locks.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

export function createStatsRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/stats",
      operationId: "getStats",
      tag: "Statistics",
      access: "read",
      summary: "Get statistics",
      description:
        "Returns current totals, time series and figures by key pattern, as counted by this instance. At startup, it counts the last 24 hours from the history. The cost does not depend on the number of locks.",
      query: StatsQuery,
      response: { status: 200, schema: Stats, example: STATS, description: "The statistics." },
      handle: ({ target, query }) => createJsonResponse(200, target.stats.queryStats(query)),
    }),
    defineTargetRoute({
      method: "GET",
      path: "/locks/{key}/typical",
      operationId: "getLockStats",
      tag: "Statistics",
      access: "read",
      summary: "Get typical times of a lock",
      description: "Returns how long locks with the same key pattern are typically held and waited for.",
      response: {
        status: 200,
        schema: TypicalTimes,
        example: TYPICAL_TIMES,
        description: "Typical times of the key pattern.",
      },
      handle: ({ target, key }) => createJsonResponse(200, target.stats.getTypical(key)),
    }),
  ];
}
