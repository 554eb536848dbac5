import type { ColumnWidths } from "./column-choice.ts";
import { type ColumnPlacement, getColumnLimits } from "./column-layout.ts";
import type { ColumnId } from "./columns.ts";

export interface ResizeHandle {
  /** The column whose width it changes. */
  id: ColumnId;
  px: number;
  leastPx: number;
  mostPx: number;
  /** 1: it grows as the edge goes to the right; -1: as it goes to the left. */
  towards: 1 | -1;
}

/**
 * The edge to the left of a shown column. The key takes the rest, so an edge right of it changes the column right of
 * the edge, and one left of it the one on its left: the edge stays under the pointer, and all others where they are.
 * @param before place of the column that stands right of it, from 1
 */
export function findResizeHandle(
  shown: readonly ColumnPlacement[],
  before: number,
): ResizeHandle | undefined {
  const keyAt = shown.findIndex(({ id }) => id === "key");
  const isRightOfKey = before > keyAt;
  const column = shown[isRightOfKey ? before : before - 1];
  if (column === undefined) return undefined;
  const limits = getColumnLimits(column.id);
  const spare = shown
    .filter(({ id }) => id !== column.id)
    .reduce((sum, { id, px }) => sum + Math.max(0, px - getColumnLimits(id).leastPx), 0);
  return {
    ...column,
    leastPx: limits.leastPx,
    mostPx: Math.max(column.px, Math.min(limits.mostPx, column.px + spare)),
    towards: isRightOfKey ? -1 : 1,
  };
}

/**
 * The widths with an edge at another place: what the column gains the key loses, and all others stay as they are. Only
 * when the key cannot spare any more they do, as each can.
 */
export function resizeColumn(
  shown: readonly ColumnPlacement[],
  { id, leastPx, mostPx }: ResizeHandle,
  px: number,
): ColumnWidths {
  const next = Math.round(Math.min(mostPx, Math.max(leastPx, px)));
  const key = shown.find((column) => column.id === "key")?.px ?? 0;
  const keyPx = key - (next - (shown.find((column) => column.id === id)?.px ?? next));
  const lacksPx = Math.max(0, getColumnLimits("key").leastPx - keyPx);
  const others = shown.filter((column) => column.id !== id && column.id !== "key");
  const spareOf = (column: ColumnPlacement) => Math.max(0, column.px - getColumnLimits(column.id).leastPx);
  const spare = others.reduce((sum, column) => sum + spareOf(column), 0);
  const give = (column: ColumnPlacement) => (spare === 0 ? 0 : (lacksPx * spareOf(column)) / spare);
  return {
    ...Object.fromEntries(others.map((column) => [column.id, Math.floor(column.px - give(column))])),
    key: keyPx + lacksPx,
    [id]: next,
  };
}
