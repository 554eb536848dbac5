import type { LockSortField } from "@/lib/contract/lock-sort.ts";
import { DEFAULT_SORT, parseColumnSort } from "./column-sorts.ts";

/** The id of a column, which is also the name of a sort field in the API. */
export type ColumnId = LockSortField;

/**
 * When a column is shown by default. `primary`: if all shown columns fit at their minimum widths. `secondary`: if all
 * shown columns fit at their typical widths.
 */
export type ColumnPriority = "primary" | "secondary";

export interface Column {
  id: ColumnId;
  /** Whether the values are numbers. Numbers are right-aligned. */
  figure: boolean;
  /**
   * Minimum width in pixels, at which the header and the values are readable. `typicalPx` is the default width, and
   * `mostPx` is the maximum width unless the operator sets a larger width.
   */
  leastPx: number;
  typicalPx: number;
  mostPx: number;
  priority: ColumnPriority;
  /** Order in which columns are hidden if there is not enough room, highest rank first. */
  rank: number;
}

const COLUMN_LIST: readonly Column[] = [
  { id: "key", figure: false, leastPx: 200, typicalPx: 260, mostPx: 640, priority: "primary", rank: 0 },
  { id: "owner", figure: false, leastPx: 120, typicalPx: 160, mostPx: 420, priority: "primary", rank: 6 },
  { id: "format", figure: false, leastPx: 84, typicalPx: 88, mostPx: 180, priority: "secondary", rank: 7 },
  { id: "count", figure: true, leastPx: 68, typicalPx: 68, mostPx: 96, priority: "primary", rank: 3 },
  { id: "remaining", figure: true, leastPx: 108, typicalPx: 116, mostPx: 180, priority: "primary", rank: 1 },
  { id: "held", figure: true, leastPx: 88, typicalPx: 92, mostPx: 140, priority: "primary", rank: 5 },
  { id: "attention", figure: false, leastPx: 126, typicalPx: 132, mostPx: 260, priority: "primary", rank: 2 },
  { id: "waiters", figure: true, leastPx: 64, typicalPx: 66, mostPx: 110, priority: "primary", rank: 4 },
  { id: "fence", figure: true, leastPx: 84, typicalPx: 92, mostPx: 150, priority: "secondary", rank: 8 },
];

export const COLUMNS: ReadonlyMap<ColumnId, Column> = new Map(COLUMN_LIST.map((each) => [each.id, each]));
export const ALL_COLUMNS: readonly ColumnId[] = COLUMN_LIST.map(({ id }) => id);

/** Returns the column by which the rows are sorted; `undefined` for the default order and for an unknown sort field. */
export function getSortColumn(sort: string): ColumnId | undefined {
  if (sort === DEFAULT_SORT) return undefined;
  const { field } = parseColumnSort(sort);
  return ALL_COLUMNS.find((id) => id === field);
}
