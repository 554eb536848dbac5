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
import type { FacetCounts, FacetQuery } from "../../watch/index/facet-counts.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { createTaggedResponse } from "../http/etag.ts";
import { FACETS } from "../openapi/examples/facets.ts";
import { assertConnected } from "../routing/assert-connected.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";
import { TOO_MANY_FILTERS } from "./owners.ts";

/** Creates the route that counts locks by the values of their facets. */
export function createFacetRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/facets",
      operationId: "listFacets",
      tag: "Locks",
      access: "read",
      filtersByGrant: true,
      expensive: true,
      summary: "Count locks by facet",
      description:
        "Counts the locks that match a filter by format, kind, liveness, service, host and whether they have waiters. Each facet ignores the terms of the filter on its own field, and lists its 50 most frequent values. Counts are cached for 1 s, or for 20 times as long as counting took if that is longer.",
      query: FacetsQuery,
      response: { status: 200, schema: Facets, example: FACETS, description: "Counts by facet.", etag: true },
      handle: async ({ target, query: { filter }, principal, cpu }) => {
        const allowedKeys = getAllowedKeys(principal, "read", target.name);
        return createTaggedResponse(await readFacets(target.watcher, { filter, allowedKeys, owner: cpu }));
      },
    }),
  ];
}

async function readFacets(watcher: Watcher, query: FacetQuery): Promise<Facets> {
  assertConnected(watcher);
  const counts = await watcher.index.facets.query(query);
  if (counts === undefined) {
    throw new UnavailableError(TOO_MANY_FILTERS);
  }
  const facets = FACET_FIELDS.map((field) => toFacet(field, counts));
  const isAsNow = counts.revision === watcher.index.revision;
  const asOf = isAsNow ? watcher.asOf : Math.min(counts.nowMs, watcher.asOf);
  return { total: counts.total, facets, asOf };
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
  return field === "service" || field === "host" || field === "session"
    ? formatExactTerm(field, value)
    : `${field}:${value}`;
}
