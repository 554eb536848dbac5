import type { ColumnId } from "@/components/locks/columns.ts";
import type { Density } from "@/components/locks/density.ts";

const columns: Record<ColumnId, string> = {
  key: "Key",
  owner: "Holder",
  format: "Format",
  count: "Count",
  remaining: "Expires in",
  held: "Held for",
  abnormality: "Verdict",
  waiters: "Waiting",
  fence: "Fence",
};

const densities: Record<Density, string> = { dense: "Dense", normal: "Normal", airy: "Airy" };

/** The table of locks and what is set up in it, which comes with the first rows. */
export const table = {
  room: "table" as const,
  title: "Locks",
  columns,
  actions: "Actions",
  tickAll: "Tick all rows that are loaded",
  tick: (key: string) => `Tick ${key}`,
  free: (key: string) => `Free ${key}`,
  freeShort: "Free…",
  isFree: "free",
  setUp: "Columns and rows",
  shownColumns: "Columns",
  moveUp: (column: string) => `Move ${column} to the left`,
  moveDown: (column: string) => `Move ${column} to the right`,
  noRoom: "no room now",
  reset: "Reset",
  densityTitle: "Height of rows",
  densities,
  edgeOf: (column: string) => `Width of ${column}`,
  edgeHint: "Drag, or use the arrow keys; Enter sets it back",
  pixels: (px: number) => `${px} pixels`,
};
