/** The columns of a file by name, each with a function that returns its value. */
export type CsvColumns<Item> = Readonly<Record<string, (item: Item) => unknown>>;

export function formatCsvHeader<Item>(columns: CsvColumns<Item>): string {
  return `${Object.keys(columns).join(",")}\r\n`;
}

export function formatCsvRow<Item>(columns: CsvColumns<Item>, item: Item): string {
  return `${Object.values(columns)
    .map((value) => formatCsvCell(value(item)))
    .join(",")}\r\n`;
}

/** Matches cells that spreadsheets interpret as formulas, even with full-width characters. */
const FORMULA = /^[\s\p{C}]*[=+\-@＝＋－＠]/u;
/** Matches control, format, surrogate and line separator characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Formats a cell in quotes, with formulas neutralized and invisible characters escaped. */
export function formatCsvCell(value: unknown): string {
  const text = value === undefined ? "" : String(value);
  const seen = text.replace(INVISIBLE, (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`);
  const inert = typeof value === "string" && FORMULA.test(text) ? `'${seen}` : seen;
  return `"${inert.replaceAll('"', '""')}"`;
}
