import type { ReactNode } from "react";
import type { EventType } from "@/lib/contract/event.ts";
import type { LockSortField } from "@/lib/contract/lock-sort.ts";

const columns: Record<LockSortField, string> = {
  key: "Key",
  owner: "Holder",
  format: "Format",
  count: "Count",
  remaining: "Expires in",
  held: "Held for",
  attention: "Liveness",
  waiters: "Waiting",
  fence: "Fence",
};

const densities = { dense: "Compact", normal: "Normal", airy: "Comfortable" };

const orders = {
  "-attention": "Needs attention first",
  "-held": "Held longest first",
  remaining: "Expires soonest first",
  "-waiters": "Most waiters first",
  key: "Key",
};

const ENDS: Partial<Record<EventType, string>> = {
  released: "released",
  expired: "expired",
  evicted: "evicted",
  force_released: "force-released",
};

/** Messages for the lock table and its settings. They are loaded together with the first rows. */
export const table = {
  namespace: "table" as const,
  title: "Locks",
  columns,
  order: "Order",
  orders,
  otherOrder: "Custom order",
  actions: "Actions",
  selectAll: "Select all loaded rows",
  select: (key: string) => `Select ${key}`,
  release: (key: string) => `Release ${key}`,
  releaseShort: "Release…",
  notHeld: "not held",
  settings: "Table settings",
  shownColumns: "Columns",
  moveUp: (column: string) => `Move ${column} left`,
  moveDown: (column: string) => `Move ${column} right`,
  hidden: "hidden: not enough space",
  shownForSort: "shown while the list is sorted by it",
  reset: "Reset",
  densityTitle: "Row height",
  densities,
  typicalMeans: (p50: string, p95: string) => `Typical for this key pattern: median ${p50}, p95 ${p95}`,
  widthOf: (column: string) => `Width of ${column}`,
  widthHint: "Drag or use the arrow keys. Enter resets the width.",
  pixels: (px: number) => `${px} pixels`,
  ends: { unknown: "gone", reacquired: "now held by another client" },
  formatEnd: (type: EventType) => ENDS[type] ?? "ended",
  releasedBy: (who: ReactNode) => <>released by {who}</>,
  andMore: (others: number) => ` and ${others} more`,
  expiresIn: (time: ReactNode) => <>expires in {time}</>,
  heldFor: (time: ReactNode) => <>held {time}</>,
  waiting: (count: ReactNode) => <>{count} waiting</>,
  position: (first: string, last: string, total: string) => `${first}–${last} of ${total}`,
  narrow: "narrow the search to see the rest",
  paused: "Paused",
  pausedWhileReading: "Paused while you read",
  refresh: "Refresh the list",
  changes: (count: number, text: string) => (count === 1 ? "+1 change" : `+${text} changes`),
  nearEnd: (key: string, seconds: number) =>
    seconds === 0 ? `${key} is expiring` : `${key} expires in less than ${seconds} s`,
};
