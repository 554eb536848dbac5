import { type ColumnWidths, setColumnShown } from "./column-choice.ts";
import { ALL_COLUMNS, COLUMNS, type Column, type ColumnId } from "./columns.ts";

export interface ColumnPlacement {
  id: ColumnId;
  px: number;
}

export interface ColumnLayout {
  columns: readonly ColumnPlacement[];
  /** Columns that are hidden because there is not enough room. */
  omitted: readonly ColumnId[];
}

export interface ColumnRequest {
  /** The chosen columns in display order. */
  chosen: readonly ColumnId[];
  /** Widths set by the operator, in pixels. */
  widths: ColumnWidths;
  /**
   * The column by which the rows are sorted; `undefined` for the default order. The layout includes this column even if
   * it is not chosen.
   */
  sortedBy?: ColumnId | undefined;
}

interface ColumnShare {
  id: ColumnId;
  px: number;
  leastPx: number;
  mostPx: number;
  /** Whether the operator set the width of the column. */
  isByHand: boolean;
}

/**
 * Distributes the available width over the chosen columns and the sort column. Columns with the highest rank are hidden
 * until every remaining column has at least its minimum width. If all columns are chosen in the default order, a
 * secondary column is hidden unless all remaining columns fit at their typical widths. The key column is never hidden,
 * and a single remaining column can be narrower than its minimum. Additional width goes to the key column first. Width
 * that no column can use remains empty after the last column.
 */
export function layOutColumns({ chosen, widths, sortedBy }: ColumnRequest, roomPx: number): ColumnLayout {
  const shown = [...(sortedBy === undefined ? chosen : setColumnShown(chosen, sortedBy, true))];
  const isDefault = chosen.length === ALL_COLUMNS.length && chosen.every((id, at) => id === ALL_COLUMNS[at]);
  const omitted: ColumnId[] = [];
  while (shown.length > 1) {
    const last = findLeastImportant(shown, sortedBy);
    const isSecondary = getColumn(last).priority === "secondary" && last !== sortedBy;
    const neededPx = isDefault && isSecondary ? getTypicalWidth : getMinWidth;
    if (sumPx(shown.map(neededPx)) <= roomPx) break;
    shown.splice(shown.indexOf(last), 1);
    omitted.push(last);
  }
  const parts = shown.map((id) => toColumnShare(id, widths));
  shrinkColumns(parts, roomPx);
  growColumns(parts, roomPx);
  return { columns: parts.map(({ id, px }) => ({ id, px: Math.round(px) })), omitted };
}

/** Returns the minimum and maximum width, in pixels, that the operator can set for a column. */
export function getColumnLimits(id: ColumnId): { leastPx: number; mostPx: number } {
  const { leastPx, mostPx } = getColumn(id);
  return { leastPx, mostPx: 3 * mostPx };
}

function getColumn(id: ColumnId): Column {
  const column = COLUMNS.get(id);
  if (column === undefined) throw new Error(`There is no column ${id}`);
  return column;
}

const getMinWidth = (id: ColumnId): number => getColumn(id).leastPx;
const getTypicalWidth = (id: ColumnId): number => getColumn(id).typicalPx;
const sumPx = (sizes: readonly number[]): number => sizes.reduce((sum, px) => sum + px, 0);

function findLeastImportant(shown: readonly ColumnId[], sortedBy: ColumnId | undefined): ColumnId {
  const rankOf = (id: ColumnId) => (id === sortedBy ? 0 : getColumn(id).rank);
  return shown.reduce((worst, id) => (worst === "key" || rankOf(id) > rankOf(worst) ? id : worst));
}

function toColumnShare(id: ColumnId, widths: ColumnWidths): ColumnShare {
  const { leastPx, typicalPx, mostPx } = getColumn(id);
  const byHand = widths[id];
  if (byHand !== undefined) {
    const px = Math.max(leastPx, byHand);
    return { id, px, leastPx, mostPx: id === "key" ? Math.max(mostPx, px) : px, isByHand: true };
  }
  // The key column starts at its minimum width because it grows first.
  return { id, px: id === "key" ? leastPx : typicalPx, leastPx, mostPx, isByHand: false };
}

/**
 * Shrinks the columns to fit into `roomPx`. Columns whose width the operator set shrink only if shrinking the others is
 * not enough.
 */
function shrinkColumns(parts: readonly ColumnShare[], roomPx: number): void {
  for (const isByHand of [false, true]) {
    const excess = sumPx(parts.map(({ px }) => px)) - roomPx;
    if (excess <= 0) return;
    distributePx(
      parts.filter((part) => part.isByHand === isByHand),
      -excess,
      ({ px, leastPx }) => px - leastPx,
    );
  }
  // A single column may be narrower than its minimum.
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) only.px = Math.min(only.px, Math.max(0, roomPx));
}

/** The steps in which columns grow. Each step maps columns to their maximum width in pixels. */
const GROWTH: readonly Readonly<Partial<Record<ColumnId, number>>>[] = [
  { key: 260 },
  { owner: 208, attention: 148 },
  // The width at which most keys fit.
  { key: 340 },
  { key: Number.POSITIVE_INFINITY, owner: Number.POSITIVE_INFINITY },
  Object.fromEntries(ALL_COLUMNS.map((id) => [id, Number.POSITIVE_INFINITY])),
];

function growColumns(parts: readonly ColumnShare[], roomPx: number): void {
  for (const upToPx of GROWTH) {
    const spare = roomPx - sumPx(parts.map(({ px }) => px));
    if (spare <= 0) return;
    distributePx(parts, spare, ({ id, px, mostPx }) => Math.min(mostPx, upToPx[id] ?? 0) - px);
  }
}

/**
 * Grows the columns by `amountPx` in total; a negative amount shrinks them. Distributes the amount in proportion to the
 * maximum change of each column, which `getMaxChange` returns.
 */
function distributePx(
  parts: readonly ColumnShare[],
  amountPx: number,
  getMaxChange: (part: ColumnShare) => number,
): void {
  const maxChanges = parts.map((part) => Math.max(0, getMaxChange(part)));
  const totalChange = sumPx(maxChanges);
  if (totalChange === 0) return;
  const given = Math.sign(amountPx) * Math.min(Math.abs(amountPx), totalChange);
  parts.forEach((part, at) => {
    part.px += (given * (maxChanges[at] ?? 0)) / totalChange;
  });
}
