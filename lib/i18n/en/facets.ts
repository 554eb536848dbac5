import type { FacetField } from "@/lib/contract/facet.ts";
import type { LivenessState } from "@/lib/contract/liveness.ts";

const fields: Record<FacetField, string> = {
  format: "Format",
  kind: "Kind",
  liveness: "Liveness",
  service: "Service",
  host: "Host",
  waiters: "Waiters",
};

const liveness: Record<LivenessState, string> = {
  alive: "alive",
  overdue: "overdue",
  not_renewing: "not renewing",
  no_ttl: "no TTL",
  unknown: "unknown",
};

/** What narrows the list of locks: names, facets, targets. */
export const facets = {
  namespace: "facets" as const,
  names: "Names",
  namesMeans: "Held under each beginning of keys, whatever is searched for.",
  /** What a branch of names says when it is read out. */
  branch: (name: string, held: string) => `${name}, ${held} held`,
  needsAttention: (count: string) => `${count} ${count === "1" ? "needs" : "need"} attention`,
  waiting: (count: string) => `${count} waiting`,
  /** Separates the parts of what is read out. */
  and: (one: string, other: string) => `${one}, ${other}`,
  moreNames: (count: string) => `${count} more, with fewer locks`,
  noNames: "No name with a “:” is held.",
  open: "Open",
  fold: "Fold",
  loading: "Looking…",
  notHad: "could not be had",
  fields,
  liveness,
  waited: "somebody waits",
  /** @param count how many more can be shown */
  more: (count: string) => `${count} more`,
  fewer: "Fewer",
  others: (count: string) => `${count} rarer values: search for them`,
  /** @param count locks that have no such value, @param field its name */
  without: (count: string, field: string) => `${count} without a ${field.toLowerCase()}`,
  nothing: "No lock matches.",
  fault: "The search cannot be read: mend it first.",
  /** @param at a time of day */
  older: (at: string) => `Counted at ${at}; newer counts could not be had.`,
  targets: "Targets",
  unreached: "down",
};
