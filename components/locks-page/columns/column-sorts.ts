import type { LockSortField } from "@/lib/contract/lock-sort.ts";

/**
 * The default order: blocking locks first, then other locks that are overdue, have no TTL or exceed their typical hold
 * time, then all other locks, longest held first.
 */
export const DEFAULT_SORT = "-attention";

/** The sort orders in the menu on phones. */
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

/**
 * Returns the sort order after a click on a column header. If the rows are already sorted by the column, reverses the
 * direction. Otherwise, sorts in the more useful direction first, such as longest held first.
 */
export function toggleSort(sort: string, field: LockSortField): string {
  const now = parseColumnSort(sort);
  if (now.field !== field) return DESCENDING_FIRST.has(field) ? `-${field}` : field;
  return now.descending ? field : `-${field}`;
}
