import type { LockSortField } from "@/lib/contract/lock-sort.ts";

/** The default order: locks that need attention first, then those held longest. */
export const DEFAULT_SORT = "-attention";

/** The orders in the menu of a phone. */
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

/** Returns the order after a click: first the more informative direction, then the opposite one. */
export function toggleSort(sort: string, field: LockSortField): string {
  const now = parseColumnSort(sort);
  if (now.field !== field) return DESCENDING_FIRST.has(field) ? `-${field}` : field;
  return now.descending ? field : `-${field}`;
}
