/** Columns of a CSV file: for each column name, a function that returns the item's value. */
export type CsvColumns<Item> = Readonly<Record<string, (item: Item) => unknown>>;

export function formatCsvHeader<Item>(columns: CsvColumns<Item>): string {
  return `${Object.keys(columns).join(",")}\r\n`;
}

export function formatCsvRow<Item>(columns: CsvColumns<Item>, item: Item): string {
  return `${Object.values(columns)
    .map((value) => formatCsvCell(value(item)))
    .join(",")}\r\n`;
}

/** Matches cells that spreadsheets interpret as formulas, including formulas that start with a full-width character. */
const FORMULA = /^[\s\p{C}]*[=+\-@＝＋－＠]/u;
/** Matches control, format, surrogate and line separator characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Formats a value as a quoted CSV cell; `undefined` as an empty cell. Escapes invisible characters. Adds a leading `'`
 * to strings that look like formulas, so that spreadsheets do not evaluate them.
 */
export function formatCsvCell(value: unknown): string {
  const text = value === undefined ? "" : String(value);
  const seen = text.replace(INVISIBLE, (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`);
  const inert = typeof value === "string" && FORMULA.test(text) ? `'${seen}` : seen;
  return `"${inert.replaceAll('"', '""')}"`;
}
