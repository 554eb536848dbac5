import type { OwnerGrouping } from "@/lib/contract/owner.ts";

/** The messages for the owners page. */
export const owners = {
  namespace: "owners" as const,
  title: "Owners",
  search: "Search owners",
  placeholder: (example: string) => `Filter locks, for example ${example}`,
  by: "Group by",
  bys: { owner: "owner", service: "service", host: "host", session: "session" } satisfies Record<
    OwnerGrouping,
    string
  >,
  nameHeads: { owner: "Owner", service: "Service", host: "Host", session: "Session" } satisfies Record<
    OwnerGrouping,
    string
  >,
  heads: {
    holds: "Locks",
    needs_attention: "Needs attention",
    held: "Oldest",
    waiters: "Waiting",
  },
  // Reasons why locks of an owner need attention.
  joinReasons: (reasons: readonly string[]) => reasons.join(", "),
  overdue: (count: string) => `${count} overdue`,
  noTtl: (count: string) => `${count} with no TTL`,
  unusuallyLong: (count: string) => `${count} unusually long`,
  /** Note for locks with a value such as `1`, which many clients write. */
  noOwnerInCommon:
    "These locks have the same value, but not necessarily the same owner. Release them one by one.",
  targetDown: "Owners appear when the target is reachable again.",
  unknown: "unknown",
  releaseAll: "Release all…",
  releaseAllOf: (name: string) => `Release all locks held by ${name}`,
  noLocksHeld: "No locks are held",
  noMatch: "No matching owners",
  appearHere: "Owners appear here when they acquire a lock.",
  notListed: (by: OwnerGrouping) => `Holders without a ${by} are not listed. Group by owner to see them.`,
  narrow: "Narrow the search to see the rest.",
  without: (locks: number, shown: string, by: OwnerGrouping) =>
    `${shown} ${locks === 1 ? "lock has" : "locks have"} no ${by}.`,
};
