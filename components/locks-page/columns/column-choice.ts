import { ALL_COLUMNS, COLUMNS, type ColumnId } from "./columns.ts";

const isColumnId = (text: string): text is ColumnId => COLUMNS.has(text as ColumnId);

/**
 * Parses the chosen columns, in order, from a URL or from storage. Drops duplicates and unknown columns. Adds the key
 * column if it is missing, because the key identifies the row. Returns `undefined` if no column is valid.
 */
export function parseColumnChoice(text: string | null): readonly ColumnId[] | undefined {
  const chosen = [...new Set((text ?? "").split(",").filter(isColumnId))];
  if (chosen.length === 0) return undefined;
  return chosen.includes("key") ? chosen : ["key", ...chosen];
}

/**
 * Formats the chosen columns for the URL and for storage. Returns `null` for the default columns, which are not stored.
 */
export function serializeColumnChoice(chosen: readonly ColumnId[]): string | null {
  const text = chosen.join(",");
  return text === ALL_COLUMNS.join(",") ? null : text;
}

export function setColumnShown(chosen: readonly ColumnId[], id: ColumnId, on: boolean): readonly ColumnId[] {
  if (!on) return id === "key" ? chosen : chosen.filter((each) => each !== id);
  if (chosen.includes(id)) return chosen;
  const before = ALL_COLUMNS.slice(0, ALL_COLUMNS.indexOf(id)).findLast((each) => chosen.includes(each));
  const at = before === undefined ? 0 : chosen.indexOf(before) + 1;
  return chosen.toSpliced(at, 0, id);
}

export function moveColumn(chosen: readonly ColumnId[], id: ColumnId, by: -1 | 1): readonly ColumnId[] {
  const at = chosen.indexOf(id);
  const to = at + by;
  if (at < 0 || to < 0 || to >= chosen.length) return chosen;
  return chosen.toSpliced(at, 1).toSpliced(to, 0, id);
}

export type ColumnWidths = Readonly<Partial<Record<ColumnId, number>>>;

/**
 * Parses the column widths, in pixels, from storage. Drops unknown columns and widths that are not between 0 and 5,000
 * px.
 */
export function parseColumnWidths(text: string | null): ColumnWidths {
  const pairs = (text ?? "").split(",").map((pair) => pair.split(":"));
  return Object.fromEntries(
    pairs
      .map(([id = "", px]) => [id, Number(px)] as const)
      .filter(([id, px]) => isColumnId(id) && Number.isFinite(px) && px > 0 && px < 5000),
  );
}

export function serializeColumnWidths(widths: ColumnWidths): string | null {
  const text = Object.entries(widths)
    .map(([id, px]) => `${id}:${Math.round(px)}`)
    .join(",");
  return text === "" ? null : text;
}
