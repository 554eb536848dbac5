import type { ColumnWidths } from "./column-choice.ts";
import { type ColumnPlacement, getColumnLimits } from "./column-layout.ts";
import type { ColumnId } from "./columns.ts";

/**
 * The handle at the right edge of a column, which resizes the column. `px` is the current width, `leastPx` the minimum
 * and `mostPx` the maximum width, in pixels.
 */
export interface ResizeHandle {
  id: ColumnId;
  px: number;
  leastPx: number;
  mostPx: number;
}

/**
 * Returns the resize handle of a visible column. Returns `undefined` for the last column, because resizing takes width
 * from the columns to the right, and for an index out of range.
 * @param at index of the column in `shown`
 */
export function findResizeHandle(shown: readonly ColumnPlacement[], at: number): ResizeHandle | undefined {
  const column = shown[at];
  if (column === undefined || at === shown.length - 1) return undefined;
  const { leastPx, mostPx } = getColumnLimits(column.id);
  const spare = shown.slice(at + 1).reduce((sum, each) => sum + getSparePx(each), 0);
  return { ...column, leastPx, mostPx: Math.max(column.px, Math.min(mostPx, column.px + spare)) };
}

/**
 * Returns the widths of all visible columns after a column is resized to `px`, limited to the range of the handle. If
 * the column grows, the columns to its right shrink one after another, starting with the next column, each to no less
 * than its minimum width. If the column shrinks, the next column grows by the same amount. The columns to the left do
 * not change.
 */
export function resizeColumn(
  shown: readonly ColumnPlacement[],
  { id, leastPx, mostPx }: ResizeHandle,
  px: number,
): ColumnWidths {
  const at = shown.findIndex((column) => column.id === id);
  const present = shown[at]?.px ?? 0;
  const next = Math.round(Math.min(mostPx, Math.max(leastPx, px)));
  let missing = next - present;
  const widths: Partial<Record<ColumnId, number>> = Object.fromEntries(
    shown.map((column) => [column.id, column.px]),
  );
  widths[id] = next;
  for (const column of shown.slice(at + 1)) {
    const taken = Math.min(missing, getSparePx(column));
    widths[column.id] = column.px - taken;
    missing -= taken;
    if (missing === 0) break;
  }
  return widths;
}

const getSparePx = ({ id, px }: ColumnPlacement): number => Math.max(0, px - getColumnLimits(id).leastPx);
