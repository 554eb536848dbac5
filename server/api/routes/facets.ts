import {
  FACET_FIELDS,
  type Facet,
  type FacetField,
  Facets,
  FacetsQuery,
} from "../../../lib/contract/facet.ts";
import { type Key, textOfKey } from "../../../lib/keys/key.ts";
import { exactTerm } from "../../../lib/query/filter.ts";
import { keysFor } from "../../auth/principal.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { KeyRange } from "../../redis/glob.ts";
import type { FacetCounts } from "../../watch/index/facet-counts.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { tagged } from "../http/etag.ts";
import { FACETS } from "../openapi/examples/facets.ts";
import { assertUp } from "../routing/assert-connected.ts";
import { type Route, targetRoute } from "../routing/route.ts";
import { TOO_MANY_COUNTED } from "./owners.ts";

/** What the locks that match a search have in common. */
export function facetRoutes(): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/facets",
      operationId: "listFacets",
      tag: "Looking",
      access: "read",
      narrows: true,
      summary:
        "Count the locks that match a filter by format, kind, verdict, service, host, and whether they are waited for",
      description:
        "Each value has the word of the filter that asks for it. A facet counts the locks that match the filter without its own words, so that what else could be chosen is seen. The 50 values that most locks have are listed. Counted within the last second, or the last twenty times as long as it takes to count, some 0.1 s at 100 000 locks.",
      query: FacetsQuery,
      response: { status: 200, schema: Facets, example: FACETS, description: "The counts.", etag: true },
      handle: async ({ target, query: { filter }, principal }) =>
        tagged(await facetsOf(target.watcher, filter, keysFor(principal, "read", target.name))),
    }),
  ];
}

async function facetsOf(watcher: Watcher, filter: string, within: KeyRange | undefined): Promise<Facets> {
  assertUp(watcher);
  const counts = await watcher.mirror.facets.ask({ filter, within });
  if (counts === undefined) {
    throw new UnavailableError(TOO_MANY_COUNTED);
  }
  const facets = FACET_FIELDS.map((field) => facetOf(field, counts));
  const { lastHeard } = watcher.clock;
  const isAsNow = counts.revision === watcher.mirror.revision;
  return { total: counts.total, facets, asOf: isAsNow ? lastHeard : Math.min(counts.nowMs, lastHeard) };
}

function facetOf(field: FacetField, counts: FacetCounts): Facet {
  const values = counts.top(field).map(({ value, locks }) => ({
    value: textOfKey(value),
    filter: wordFor(field, value),
    locks,
  }));
  return { field, values, others: counts.size(field) - values.length, without: counts.without(field) };
}

function wordFor(field: FacetField, value: Key): string {
  if (field === "waiters") return "waiters>0";
  return field === "service" || field === "host" ? exactTerm(field, value) : `${field}:${value}`;
}
