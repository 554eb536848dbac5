import type { ColumnWidths } from "./column-choice.ts";
import { COLUMNS, type ColumnId } from "./columns.ts";

export interface ColumnPlacement {
  id: ColumnId;
  px: number;
}

export interface ColumnLayout {
  columns: readonly ColumnPlacement[];
  /** Chosen, and there is no room for them. */
  noRoom: readonly ColumnId[];
}

interface ColumnShare {
  id: ColumnId;
  px: number;
  leastPx: number;
  mostPx: number;
  /** Somebody gave it this width. */
  isByHand: boolean;
}

/**
 * Shares out the room among the columns that were chosen, in their order: the key gets the rest, and no column is ever
 * too narrow to read. Where there is no room for all the last by rank give way; where there is more than text can use,
 * it stays free at the end.
 */
export function layOutColumns(
  chosen: readonly ColumnId[],
  widths: ColumnWidths,
  roomPx: number,
): ColumnLayout {
  const shown = [...chosen];
  const noRoom: ColumnId[] = [];
  while (shown.length > 1 && sumPx(shown.map(getMinWidth)) > roomPx) {
    const last = shown.reduce((worst, id) => (getColumnRank(id) > getColumnRank(worst) ? id : worst));
    shown.splice(shown.indexOf(last), 1);
    noRoom.push(last);
  }
  const parts = shown.map((id) => toColumnShare(id, widths));
  shrinkColumns(parts, roomPx);
  growColumns(parts, roomPx);
  return { columns: parts.map(({ id, px }) => ({ id, px: Math.round(px) })), noRoom };
}

/** How narrow and how wide a hand may make it. */
export function getColumnLimits(id: ColumnId): { leastPx: number; mostPx: number } {
  return { leastPx: getMinWidth(id), mostPx: 3 * (COLUMNS.get(id)?.mostPx ?? 0) };
}

const getMinWidth = (id: ColumnId): number => COLUMNS.get(id)?.leastPx ?? 0;
const getColumnRank = (id: ColumnId): number => COLUMNS.get(id)?.rank ?? 0;
const sumPx = (sizes: readonly number[]): number => sizes.reduce((sum, px) => sum + px, 0);

function toColumnShare(id: ColumnId, widths: ColumnWidths): ColumnShare {
  const { leastPx = 0, typicalPx = 0, mostPx = 0 } = COLUMNS.get(id) ?? {};
  const byHand = widths[id];
  const isByHand = byHand !== undefined;
  if (id === "key") return { id, px: leastPx, leastPx, mostPx: Math.max(mostPx, byHand ?? 0), isByHand };
  const px = Math.max(leastPx, byHand ?? typicalPx);
  return { id, px, leastPx, mostPx: isByHand ? px : mostPx, isByHand };
}

/** Those first whose width nobody gave. */
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
  // One column alone takes what there is.
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) only.px = Math.min(only.px, Math.max(0, roomPx));
}

/** Most keys end within it. */
const TYPICAL_KEY_PX = 340;

/** The key until most of them can be read, then key and holder alike, then what is left of the room. */
function growColumns(parts: readonly ColumnShare[], roomPx: number): void {
  const steps: readonly { ids: readonly ColumnId[]; upToPx: number }[] = [
    { ids: ["key"], upToPx: TYPICAL_KEY_PX },
    { ids: ["key", "owner"], upToPx: Number.POSITIVE_INFINITY },
    { ids: parts.map(({ id }) => id), upToPx: Number.POSITIVE_INFINITY },
  ];
  for (const { ids, upToPx } of steps) {
    const spare = roomPx - sumPx(parts.map(({ px }) => px));
    if (spare <= 0) return;
    distributePx(
      parts.filter(({ id }) => ids.includes(id)),
      spare,
      ({ px, mostPx }) => Math.min(mostPx, upToPx) - px,
    );
  }
}

/** Gives out so much, or takes it (below 0), as each has leave to change. */
function distributePx(
  parts: readonly ColumnShare[],
  amountPx: number,
  leaveOf: (part: ColumnShare) => number,
): void {
  const leaves = parts.map((part) => Math.max(0, leaveOf(part)));
  const leave = sumPx(leaves);
  if (leave === 0) return;
  const given = Math.sign(amountPx) * Math.min(Math.abs(amountPx), leave);
  parts.forEach((part, at) => {
    part.px += (given * (leaves[at] ?? 0)) / leave;
  });
}
