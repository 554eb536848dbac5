import { measureColumns, padToColumns, toPrintable, truncateToColumns } from "./printable.ts";
import type { Style } from "./style.ts";

const GAP = "  ";
/** Minimum width of a shrunk column, in terminal columns. */
const SHRUNK_COLUMNS_MIN = 12;

export interface TableColumn<Row> {
  readonly title: string;
  /** Returns the text of a cell. The text can be untrusted, because the table escapes it. */
  readonly format: (row: Row) => string;
  readonly align?: "left" | "right";
  /** Whether cells are truncated (`truncate`) if the table is wider than the terminal. @default "keep" */
  readonly overflow?: "keep" | "truncate";
  /** Colors a cell. `cell` is the text after truncation and padding. */
  readonly paint?: (row: Row, cell: string, style: Style) => string;
}

/**
 * Formats rows as a table with a header line. Escapes the text of all cells.
 *
 * @param columnsMax width of the terminal in columns; `undefined` if the output is not a terminal
 */
export function formatTable<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  style: Style,
  columnsMax?: number,
): string {
  const cells = rows.map((row) => columns.map(({ format }) => toPrintable(format(row))));
  const widths = columns.map(({ title }, at) =>
    cells.reduce((width, row) => Math.max(width, measureColumns(row[at] ?? "")), measureColumns(title)),
  );
  shrinkColumns(columns, widths, columnsMax);
  const formatCell = (text: string, at: number) => {
    const width = widths[at] ?? 0;
    return padToColumns(truncateToColumns(text, width), width, columns[at]?.align);
  };
  const header = columns.map(({ title }, at) => formatCell(title, at)).join(GAP);
  const lines = rows.map((row, index) =>
    columns
      .map(({ paint }, at) => {
        const cell = formatCell(cells[index]?.[at] ?? "", at);
        return paint === undefined ? cell : paint(row, cell, style);
      })
      .join(GAP)
      .trimEnd(),
  );
  return `${[style.bold(header.trimEnd()), ...lines].join("\n")}\n`;
}

/** Shrinks columns with `overflow: "truncate"`, the widest first, until the table fits. Changes `widths`. */
function shrinkColumns(
  columns: readonly { readonly overflow?: "keep" | "truncate" }[],
  widths: number[],
  columnsMax: number | undefined,
): void {
  if (columnsMax === undefined) return;
  const total = () => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  for (let excess = total() - columnsMax; excess > 0; excess = total() - columnsMax) {
    const shrinkable = widths
      .map((width, at) => ({ width, at }))
      .filter(({ width, at }) => columns[at]?.overflow === "truncate" && width > SHRUNK_COLUMNS_MIN)
      .sort((one, other) => other.width - one.width);
    const [widest, next] = shrinkable;
    if (widest === undefined) return;
    const floor = Math.max(SHRUNK_COLUMNS_MIN, Math.min(widest.width - 1, next?.width ?? 0));
    widths[widest.at] = Math.max(floor, widest.width - excess);
  }
}

/** Formats pairs of names and values, one per line. Escapes the values and omits pairs without a value. */
export function formatPairs(
  pairs: readonly (readonly [name: string, value: string | undefined])[],
  style: Style,
): string {
  const given = pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const width = Math.max(...given.map(([name]) => measureColumns(name)));
  return given
    .map(([name, value]) => `${style.dim(padToColumns(name, width))}  ${toPrintable(value)}\n`)
    .join("");
}
