import { Stats, StatsQuery, TypicalTimes } from "../../../lib/contract/stats.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { STATS, TYPICAL_TIMES } from "../openapi/examples/locks.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** Figures of a target. */
export function createStatsRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/stats",
      operationId: "getStats",
      tag: "Statistics",
      access: "read",
      summary: "Totals now, series for charts, and figures by the pattern of keys",
      description:
        "Counted by this instance as things happen; what the history keeps of the last day is counted at its start. Asking costs the same however many locks there are.",
      query: StatsQuery,
      response: { status: 200, schema: Stats, example: STATS, description: "Figures." },
      handle: ({ target, query }) => createJsonResponse(200, target.stats.queryStats(query)),
    }),
    defineTargetRoute({
      method: "GET",
      path: "/locks/{key}/typical",
      operationId: "getLockStats",
      tag: "Statistics",
      access: "read",
      summary: "How long locks of this name are typically held and waited for",
      response: {
        status: 200,
        schema: TypicalTimes,
        example: TYPICAL_TIMES,
        description: "Figures of the key's pattern.",
      },
      handle: ({ target, key }) => createJsonResponse(200, target.stats.getTypical(key)),
    }),
  ];
}
