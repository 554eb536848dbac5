import type { LockSortField } from "@/lib/contract/lock-sort.ts";

/** A column is what the API can put in order, too. */
export type ColumnId = LockSortField;

export interface Column {
  id: ColumnId;
  /** Figures stand at the right. */
  figure: boolean;
  /** Below it nobody can read it; as it is where there is room; and above it there is only air. In pixels. */
  leastPx: number;
  typicalPx: number;
  mostPx: number;
  /** The lower, the longer it stays where there is no room for all. */
  rank: number;
}

const COLUMN_LIST: readonly Column[] = [
  { id: "key", figure: false, leastPx: 260, typicalPx: 260, mostPx: 640, rank: 0 },
  { id: "owner", figure: false, leastPx: 132, typicalPx: 220, mostPx: 420, rank: 3 },
  { id: "format", figure: false, leastPx: 100, typicalPx: 116, mostPx: 180, rank: 6 },
  { id: "count", figure: true, leastPx: 72, typicalPx: 76, mostPx: 96, rank: 7 },
  { id: "remaining", figure: true, leastPx: 96, typicalPx: 152, mostPx: 200, rank: 1 },
  { id: "held", figure: true, leastPx: 92, typicalPx: 108, mostPx: 150, rank: 4 },
  { id: "attention", figure: false, leastPx: 122, typicalPx: 160, mostPx: 260, rank: 2 },
  { id: "waiters", figure: true, leastPx: 82, typicalPx: 84, mostPx: 110, rank: 5 },
  { id: "fence", figure: true, leastPx: 88, typicalPx: 104, mostPx: 150, rank: 8 },
];

export const COLUMNS: ReadonlyMap<ColumnId, Column> = new Map(COLUMN_LIST.map((each) => [each.id, each]));
export const ALL_COLUMNS: readonly ColumnId[] = COLUMN_LIST.map(({ id }) => id);

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
