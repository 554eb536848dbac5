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
  { id: "owner", name: "Holder", figure: false, className: "w-[23%] @max-2xl:hidden" },
  { id: "format", name: "Format", figure: false, className: "w-[104px] pl-0 @max-4xl:hidden" },
  { id: "count", name: "Count", figure: true, className: "w-[64px] @max-3xl:hidden" },
  { id: "remaining", name: "Expires in", figure: true, className: "w-[150px] @max-2xl:w-[104px]" },
  { id: "held", name: "Held for", figure: true, className: "w-[98px] @max-xl:hidden" },
  { id: "waiters", name: "Waiting", figure: true, className: "w-[70px] @max-4xl:hidden" },
  { id: "fence", name: "Fence", figure: true, className: "w-[84px] @max-5xl:hidden" },
];

export const PICK_CLASS = "w-9 p-0";
export const ACTION_CLASS = "w-[66px] pr-2.5 pl-0";

export const classOf = (id: LockSortField): string =>
  COLUMNS.find((column) => column.id === id)?.className ?? "";

export function parseSort(sort: string): { field: string; descending: boolean } {
  const descending = sort.startsWith("-");
  return { field: descending ? sort.slice(1) : sort, descending };
}

/** First click: the order that shows the most telling rows first; second: the other way round. */
export function nextSort(sort: string, field: LockSortField): string {
  const now = parseSort(sort);
  const descendingFirst = field === "held" || field === "count" || field === "waiters" || field === "fence";
  if (now.field !== field) return descendingFirst ? `-${field}` : field;
  return now.descending ? field : `-${field}`;
}
