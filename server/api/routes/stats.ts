import { Stats, StatsQuery, Usual } from "../../../lib/contract/stats.ts";
import { json } from "../http/http-exchange.ts";
import { STATS, USUAL } from "../openapi/examples/locks.ts";
import { type Route, targetRoute } from "../routing/route.ts";

/** Figures of a target. */
export function statsRoutes(): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/stats",
      operationId: "getStats",
      tag: "Looking",
      access: "read",
      summary: "Totals now, series for charts, and figures by the pattern of keys",
      description:
        "Counted by this instance as things happen; what the history keeps of the last day is counted at its start. Asking costs the same however many locks there are.",
      query: StatsQuery,
      response: { status: 200, schema: Stats, example: STATS, description: "Figures." },
      handle: ({ target, query }) => json(200, target.figures.stats(query)),
    }),
    targetRoute({
      method: "GET",
      path: "/locks/{key}/usual",
      operationId: "getUsual",
      tag: "Looking",
      access: "read",
      summary: "How long locks of this name are usually held and waited for",
      response: { status: 200, schema: Usual, example: USUAL, description: "Figures of the key's pattern." },
      handle: ({ target, key }) => json(200, target.figures.usual(key)),
    }),
  ];
}
