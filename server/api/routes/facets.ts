import {
  FACET_FIELDS,
  type Facet,
  type FacetField,
  Facets,
  FacetsQuery,
} from "../../../lib/contract/facet.ts";
import { formatKey, type Key } from "../../../lib/keys/key.ts";
import { formatExactTerm } from "../../../lib/query/filter.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import type { FacetCounts } from "../../watch/index/facet-counts.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { createTaggedResponse } from "../http/etag.ts";
import { FACETS } from "../openapi/examples/facets.ts";
import { assertConnected } from "../routing/assert-connected.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";
import { TOO_MANY_FILTERS } from "./owners.ts";

/** What the locks that match a search have in common. */
export function createFacetRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/facets",
      operationId: "listFacets",
      tag: "Locks",
      access: "read",
      filtersByGrant: true,
      summary:
        "Count the locks that match a filter by format, kind, liveness, service, host, and whether they are waited for",
      description:
        "Each value has the word of the filter that asks for it. A facet counts the locks that match the filter without its own words, so that what else could be chosen is seen. The 50 values that most locks have are listed. Counted within the last second, or the last twenty times as long as it takes to count, some 0.1 s at 100 000 locks.",
      query: FacetsQuery,
      response: { status: 200, schema: Facets, example: FACETS, description: "The counts.", etag: true },
      handle: async ({ target, query: { filter }, principal }) =>
        createTaggedResponse(
          await readFacets(target.watcher, filter, getAllowedKeys(principal, "read", target.name)),
        ),
    }),
  ];
}

async function readFacets(
  watcher: Watcher,
  filter: string,
  allowedKeys: KeyPatternSet | undefined,
): Promise<Facets> {
  assertConnected(watcher);
  const counts = await watcher.index.facets.query({ filter, allowedKeys: allowedKeys });
  if (counts === undefined) {
    throw new UnavailableError(TOO_MANY_FILTERS);
  }
  const facets = FACET_FIELDS.map((field) => toFacet(field, counts));
  const { lastUpdate } = watcher.clock;
  const isAsNow = counts.revision === watcher.index.revision;
  return { total: counts.total, facets, asOf: isAsNow ? lastUpdate : Math.min(counts.nowMs, lastUpdate) };
}

function toFacet(field: FacetField, counts: FacetCounts): Facet {
  const values = counts.listTopValues(field).map(({ value, locks }) => ({
    value: formatKey(value),
    filter: formatFacetTerm(field, value),
    locks,
  }));
  return {
    field,
    values,
    others: counts.countValues(field) - values.length,
    without: counts.countWithout(field),
  };
}

function formatFacetTerm(field: FacetField, value: Key): string {
  if (field === "waiters") return "waiters>0";
  return field === "service" || field === "host" ? formatExactTerm(field, value) : `${field}:${value}`;
}
