import type { FacetField } from "@/lib/contract/facet.ts";
import type { LivenessState } from "@/lib/contract/liveness.ts";

const fields: Record<FacetField, string> = {
  format: "Format",
  kind: "Kind",
  liveness: "Liveness",
  service: "Service",
  host: "Host",
  session: "Session",
  waiters: "Waiters",
};

const liveness: Record<LivenessState, string> = {
  alive: "alive",
  overdue: "overdue",
  not_renewing: "not renewing",
  no_ttl: "no TTL",
  unknown: "unknown",
};

/** The messages for the filter panel: key prefixes, facets and targets. */
export const facets = {
  namespace: "facets" as const,
  names: "Key prefixes",
  namesMeans: "Held locks by key prefix. The search does not change these counts.",
  /** Accessible name of a row for a key prefix. */
  branch: (name: string, held: string) => `${name}, ${held} held`,
  needsAttention: (count: string) => `${count} ${count === "1" ? "needs" : "need"} attention`,
  waiting: (count: string) => `${count} waiting`,
  /** Joins two phrases of an accessible name. */
  join: (one: string, other: string) => `${one}, ${other}`,
  moreNames: (count: string) => `${count} more with fewer locks`,
  noNames: "No held lock has a “:” in its key.",
  expand: "Expand",
  collapse: "Collapse",
  loading: "Loading…",
  unavailable: "unavailable",
  fields,
  liveness,
  hasWaiters: "has waiters",
  /** @param count number of values that are hidden and can be shown */
  more: (count: string) => `${count} more`,
  fewer: "Fewer",
  others: (count: string) => `${count} less common values. Use search to find them.`,
  /** @param count number of locks without a value for the facet @param field name of the facet */
  without: (count: string, field: string) => `${count} without ${field.toLowerCase()}`,
  nothing: "No lock matches.",
  invalidSearch: "Fix the invalid search first.",
  /** @param at time of day at which the counts were read */
  staleCounts: (at: string) => `Counts from ${at}. Newer counts are unavailable.`,
  targets: "Targets",
  unreachable: "unreachable",
};
