import type { LockSortField } from "@/lib/contract/lock-sort.ts";

/** What is wrong stands first, and what is held longest among its like. */
export const DEFAULT_SORT = "-attention";

/** What a phone offers, where there is no room for all. */
export const PRESET_SORTS = [DEFAULT_SORT, "-held", "remaining", "-waiters", "key"] as const;
export type PresetSort = (typeof PRESET_SORTS)[number];

export function parseColumnSort(sort: string): { field: string; descending: boolean } {
  const descending = sort.startsWith("-");
  return { field: descending ? sort.slice(1) : sort, descending };
}

const DESCENDING_FIRST: ReadonlySet<LockSortField> = new Set([
  "attention",
  "held",
  "count",
  "waiters",
  "fence",
]);

/** First click: the order that shows the most telling rows first; second: the other way round. */
export function toggleSort(sort: string, field: LockSortField): string {
  const now = parseColumnSort(sort);
  if (now.field !== field) return DESCENDING_FIRST.has(field) ? `-${field}` : field;
  return now.descending ? field : `-${field}`;
}
