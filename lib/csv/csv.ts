/** The columns of a file, each with what stands in it. */
export type CsvColumns<Item> = Readonly<Record<string, (item: Item) => unknown>>;

export function formatCsvHeader<Item>(columns: CsvColumns<Item>): string {
  return `${Object.keys(columns).join(",")}\r\n`;
}

export function formatCsvRow<Item>(columns: CsvColumns<Item>, item: Item): string {
  return `${Object.values(columns)
    .map((value) => formatCsvCell(value(item)))
    .join(",")}\r\n`;
}

/** Spreadsheets take a cell that begins so for a formula, with letters of full width too. */
const FORMULA = /^[\s\p{C}]*[=+\-@＝＋－＠]/u;
/** What breaks lines, rings bells, or turns the direction of writing, and letters that are none by themselves. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Always in quotes; what would run as a formula is text, and what cannot be seen is written out. */
export function formatCsvCell(value: unknown): string {
  const text = value === undefined ? "" : String(value);
  const seen = text.replace(INVISIBLE, (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`);
  const inert = typeof value === "string" && FORMULA.test(text) ? `'${seen}` : seen;
  return `"${inert.replaceAll('"', '""')}"`;
}
