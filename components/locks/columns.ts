import type { LockSortField } from "@/lib/contract/list.ts";

export interface Column {
  id: LockSortField;
  name: string;
  /** Figures stand at the right. */
  figure: boolean;
  /** Width and the widths at which it gives way; written out, because the stylesheet is made from these words. */
  className: string;
}

export const COLUMNS: readonly Column[] = [
  { id: "key", name: "Key", figure: false, className: "pl-1" },
  { id: "owner", name: "Holder", figure: false, className: "w-[18%] @max-2xl:hidden" },
  { id: "format", name: "Format", figure: false, className: "w-[90px] pl-0 @max-4xl:hidden @6xl:w-[104px]" },
  { id: "count", name: "Count", figure: true, className: "w-[58px] px-1.5 @max-4xl:hidden" },
  { id: "remaining", name: "Expires in", figure: true, className: "w-[150px] @max-5xl:w-[100px]" },
  { id: "held", name: "Held for", figure: true, className: "w-[100px] @max-xl:hidden" },
  {
    id: "abnormality",
    name: "Verdict",
    figure: false,
    className: "w-[134px] @max-3xl:hidden @6xl:w-[156px]",
  },
  { id: "waiters", name: "Waiting", figure: true, className: "w-[66px] px-1.5 @max-4xl:hidden" },
  { id: "fence", name: "Fence", figure: true, className: "w-[84px] @max-6xl:hidden" },
];

/** What is wrong stands first, and what is held longest among its like. */
export const SORT_FIRST = "-abnormality";

export const PICK_CLASS = "w-9 p-0";
export const ACTION_CLASS = "w-[66px] pr-2.5 pl-0";

export const classOf = (id: LockSortField): string =>
  COLUMNS.find((column) => column.id === id)?.className ?? "";

export function parseSort(sort: string): { field: string; descending: boolean } {
  const descending = sort.startsWith("-");
  return { field: descending ? sort.slice(1) : sort, descending };
}

const DESCENDING_FIRST: ReadonlySet<LockSortField> = new Set([
  "abnormality",
  "held",
  "count",
  "waiters",
  "fence",
]);

/** First click: the order that shows the most telling rows first; second: the other way round. */
export function nextSort(sort: string, field: LockSortField): string {
  const now = parseSort(sort);
  if (now.field !== field) return DESCENDING_FIRST.has(field) ? `-${field}` : field;
  return now.descending ? field : `-${field}`;
}
