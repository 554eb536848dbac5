import type { OwnerGrouping } from "@/lib/contract/owner.ts";

/** Who has how many locks. */
export const owners = {
  namespace: "owners" as const,
  title: "Owners",
  search: "Search owners",
  placeholder: (example: string) => `Of which locks; ${example}`,
  by: "By",
  bys: { owner: "owner", service: "service", host: "host" } satisfies Record<OwnerGrouping, string>,
  heads: {
    name: "Owner",
    holds: "Locks",
    needs_attention: "Needs attention",
    held: "Oldest",
    waiters: "Waiting",
  },
  notTold: "not told",
  freeAll: "Free all…",
  freeAllOf: (name: string) => `Free all of ${name}`,
  nobodyHolds: "Nobody holds a lock",
  nobodyMatches: "Nobody matches",
  appearSoon: "Owners appear here as soon as they take a lock.",
  notListed: (by: OwnerGrouping) => `Holders that tell of no ${by} are not listed here; look by owner.`,
  narrow: "Narrow the search to see the rest.",
  without: (locks: number, shown: string, by: OwnerGrouping) =>
    `${shown} ${locks === 1 ? "lock tells" : "locks tell"} of no ${by}.`,
};
