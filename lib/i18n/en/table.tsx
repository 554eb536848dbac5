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

const densities = { dense: "Dense", normal: "Normal", airy: "Airy" };

const orders = {
  "-attention": "Needs attention first",
  "-held": "Held longest",
  remaining: "Ends soonest",
  "-waiters": "Most waited for",
  key: "By key",
};

const ENDS: Partial<Record<EventType, string>> = {
  released: "released",
  expired: "expired",
  evicted: "evicted",
  force_released: "freed by force",
};

/** The table of locks and what is set up in it, which comes with the first rows. */
export const table = {
  namespace: "table" as const,
  title: "Locks",
  columns,
  order: "Order",
  orders,
  otherOrder: "Another order",
  actions: "Actions",
  tickAll: "Tick all rows that are loaded",
  tick: (key: string) => `Tick ${key}`,
  release: (key: string) => `Release ${key}`,
  releaseShort: "Release…",
  isFree: "free",
  setUp: "Columns and rows",
  shownColumns: "Columns",
  moveUp: (column: string) => `Move ${column} to the left`,
  moveDown: (column: string) => `Move ${column} to the right`,
  noRoom: "no room now",
  shownForSort: "shown: sorted by it",
  reset: "Reset",
  densityTitle: "Height of rows",
  densities,
  typicalMeans: (p50: string, p95: string) =>
    `Of locks with such a name half are held for less than ${p50}, and nineteen of twenty for less than ${p95}`,
  edgeOf: (column: string) => `Width of ${column}`,
  edgeHint: "Drag, or use the arrow keys; Enter sets it back",
  pixels: (px: number) => `${px} pixels`,
  ends: { untold: "gone", taken_anew: "held by another now" },
  endOf: (type: EventType) => ENDS[type] ?? "ended",
  freedBy: (who: ReactNode) => <>freed by {who}</>,
  andMore: (others: number) => ` and ${others} more`,
  expiresIn: (time: ReactNode) => <>expires in {time}</>,
  heldFor: (time: ReactNode) => <>held {time}</>,
  waiting: (count: ReactNode) => <>{count} waiting</>,
  position: (first: string, last: string, total: string) => `${first} to ${last} of ${total}`,
  narrow: "narrow the search to see the rest",
  paused: "Paused",
  reading: "Rows stand still while you are here",
  showChanges: "Take the list as it is now",
  changes: (count: number, text: string) => (count === 1 ? "+1 change" : `+${text} changes`),
  nearEnd: (key: string, seconds: number) =>
    seconds === 0 ? `${key} is at its end` : `${key} has less than ${seconds} s left`,
};
