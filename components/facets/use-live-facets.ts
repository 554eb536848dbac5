"use client";

import type { Facet, Facets } from "@/lib/contract/facet.ts";
import { useLockCounts } from "@/lib/queries/counts.ts";
import { useFacets } from "@/lib/queries/facets.ts";
import { replaceFieldTerm } from "./facet-terms.ts";

/** Facet values whose counts also appear elsewhere on the page. */
const LIVE_VALUES = [
  { field: "liveness", term: "liveness:overdue" },
  { field: "liveness", term: "liveness:no_ttl" },
  { field: "waiters", term: "waiters>0" },
] as const;

/**
 * Returns the facets of a search. Replaces the counts of `LIVE_VALUES` with live counts, so that they match the counts
 * elsewhere on the page.
 */
export function useLiveFacets(filter: string | undefined) {
  const facets = useFacets(filter);
  const filters =
    filter === undefined ? [] : LIVE_VALUES.map(({ field, term }) => replaceFieldTerm(filter, field, term));
  const counts = useLockCounts(filters);
  const live = new Map(LIVE_VALUES.map(({ term }, at) => [term as string, counts[at]]));
  const { data } = facets;
  return { ...facets, data: data && applyCounts(data, live) };
}

function applyCounts(facets: Facets, live: ReadonlyMap<string, number | undefined>): Facets {
  const toLive = (facet: Facet): Facet => ({
    ...facet,
    values: facet.values.map((value) => ({ ...value, locks: live.get(value.filter) ?? value.locks })),
  });
  return { ...facets, facets: facets.facets.map(toLive) };
}
