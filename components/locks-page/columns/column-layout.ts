import type { Widths } from "./column-choice.ts";
import { COLUMNS, type ColumnId } from "./columns.ts";

export interface LaidOut {
  id: ColumnId;
  px: number;
}

export interface ColumnLayout {
  columns: readonly LaidOut[];
  /** Chosen, and there is no room for them. */
  noRoom: readonly ColumnId[];
}

interface Part {
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
export function layOut(chosen: readonly ColumnId[], widths: Widths, roomPx: number): ColumnLayout {
  const shown = [...chosen];
  const noRoom: ColumnId[] = [];
  while (shown.length > 1 && sumOf(shown.map(leastOf)) > roomPx) {
    const last = shown.reduce((worst, id) => (rankOf(id) > rankOf(worst) ? id : worst));
    shown.splice(shown.indexOf(last), 1);
    noRoom.push(last);
  }
  const parts = shown.map((id) => partOf(id, widths));
  shrink(parts, roomPx);
  grow(parts, roomPx);
  return { columns: parts.map(({ id, px }) => ({ id, px: Math.round(px) })), noRoom };
}

/** How narrow and how wide a hand may make it. */
export function limitsOf(id: ColumnId): { leastPx: number; mostPx: number } {
  return { leastPx: leastOf(id), mostPx: 3 * (COLUMNS.get(id)?.mostPx ?? 0) };
}

const leastOf = (id: ColumnId): number => COLUMNS.get(id)?.leastPx ?? 0;
const rankOf = (id: ColumnId): number => COLUMNS.get(id)?.rank ?? 0;
const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, px) => sum + px, 0);

function partOf(id: ColumnId, widths: Widths): Part {
  const { leastPx = 0, usualPx = 0, mostPx = 0 } = COLUMNS.get(id) ?? {};
  const byHand = widths[id];
  const isByHand = byHand !== undefined;
  if (id === "key") return { id, px: leastPx, leastPx, mostPx: Math.max(mostPx, byHand ?? 0), isByHand };
  const px = Math.max(leastPx, byHand ?? usualPx);
  return { id, px, leastPx, mostPx: isByHand ? px : mostPx, isByHand };
}

/** Those first whose width nobody gave. */
function shrink(parts: readonly Part[], roomPx: number): void {
  for (const isByHand of [false, true]) {
    const excess = sumOf(parts.map(({ px }) => px)) - roomPx;
    if (excess <= 0) return;
    share(
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
const USUAL_KEY_PX = 340;

/** The key until most of them can be read, then key and holder alike, then what is left of the room. */
function grow(parts: readonly Part[], roomPx: number): void {
  const steps: readonly { ids: readonly ColumnId[]; upToPx: number }[] = [
    { ids: ["key"], upToPx: USUAL_KEY_PX },
    { ids: ["key", "owner"], upToPx: Number.POSITIVE_INFINITY },
    { ids: parts.map(({ id }) => id), upToPx: Number.POSITIVE_INFINITY },
  ];
  for (const { ids, upToPx } of steps) {
    const spare = roomPx - sumOf(parts.map(({ px }) => px));
    if (spare <= 0) return;
    share(
      parts.filter(({ id }) => ids.includes(id)),
      spare,
      ({ px, mostPx }) => Math.min(mostPx, upToPx) - px,
    );
  }
}

/** Gives out so much, or takes it (below 0), as each has leave to change. */
function share(parts: readonly Part[], amountPx: number, leaveOf: (part: Part) => number): void {
  const leaves = parts.map((part) => Math.max(0, leaveOf(part)));
  const leave = sumOf(leaves);
  if (leave === 0) return;
  const given = Math.sign(amountPx) * Math.min(Math.abs(amountPx), leave);
  parts.forEach((part, at) => {
    part.px += (given * (leaves[at] ?? 0)) / leave;
  });
}
