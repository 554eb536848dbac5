import type { OwnerGrouping } from "@/lib/contract/owner.ts";

/** Who has how many locks. */
export const owners = {
  namespace: "owners" as const,
  title: "Owners",
  search: "Search owners",
  placeholder: (example: string) => `Of which locks; ${example}`,
  by: "By",
  bys: { owner: "owner", service: "service", host: "host" } satisfies Record<OwnerGrouping, string>,
  nameHeads: { owner: "Owner", service: "Service", host: "Host" } satisfies Record<OwnerGrouping, string>,
  heads: {
    holds: "Locks",
    needs_attention: "Needs attention",
    held: "Oldest",
    waiters: "Waiting",
  },
  /** What the locks that need attention have. */
  overdue: (count: string) => `${count} overdue`,
  noTtl: (count: string) => `${count} no TTL`,
  unusuallyLong: (count: string) => `${count} unusually long`,
  /** Of a value such as `1`, which many clients write. */
  noOwnerInCommon: "These locks share a value, not an owner. Release them one by one.",
  targetDown: "Owners appear when the target is reachable again.",
  unknown: "not told",
  releaseAll: "Free all…",
  releaseAllOf: (name: string) => `Free all of ${name}`,
  noLocksHeld: "Nobody holds a lock",
  noMatch: "Nobody matches",
  appearHere: "Owners appear here as soon as they take a lock.",
  notListed: (by: OwnerGrouping) => `Holders that tell of no ${by} are not listed here; look by owner.`,
  narrow: "Narrow the search to see the rest.",
  without: (locks: number, shown: string, by: OwnerGrouping) =>
    `${shown} ${locks === 1 ? "lock tells" : "locks tell"} of no ${by}.`,
};
