import type { Widths } from "./column-choice.ts";
import { type LaidOut, limitsOf } from "./column-layout.ts";
import type { ColumnId } from "./columns.ts";

export interface Edge {
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
export function edgeAt(shown: readonly LaidOut[], before: number): Edge | undefined {
  const keyAt = shown.findIndex(({ id }) => id === "key");
  const isRightOfKey = before > keyAt;
  const column = shown[isRightOfKey ? before : before - 1];
  if (column === undefined) return undefined;
  const limits = limitsOf(column.id);
  const keySpare = (shown[keyAt]?.px ?? 0) - limitsOf("key").leastPx;
  return {
    ...column,
    leastPx: limits.leastPx,
    mostPx: Math.max(column.px, Math.min(limits.mostPx, column.px + keySpare)),
    towards: isRightOfKey ? -1 : 1,
  };
}

/** The widths with an edge at another place: what one gains the key loses, and the rest is as it stands. */
export function widthsWith(shown: readonly LaidOut[], { id, leastPx, mostPx }: Edge, px: number): Widths {
  const next = Math.round(Math.min(mostPx, Math.max(leastPx, px)));
  const change = next - (shown.find((column) => column.id === id)?.px ?? next);
  return Object.fromEntries(
    shown.map((column) => {
      if (column.id === id) return [id, next];
      return [column.id, column.id === "key" ? column.px - change : column.px];
    }),
  );
}
