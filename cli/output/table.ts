import { measureColumns, padToColumns, toPrintable, truncateToColumns } from "./printable.ts";
import type { Style } from "./style.ts";

const GAP = "  ";
/** The minimum width of a column that was shrunk. */
const SHRUNK_COLUMNS_MIN = 12;

export interface TableColumn<Row> {
  readonly title: string;
  /** The text of a cell. It may contain untrusted text, which is escaped. */
  readonly format: (row: Row) => string;
  readonly align?: "left" | "right";
  /** Whether cells are shortened if the table is wider than the terminal. */
  readonly overflow?: "keep" | "truncate";
  /** Colors a cell, after it was aligned. */
  readonly paint?: (row: Row, cell: string, style: Style) => string;
}

/** @param columnsMax width of the terminal; `undefined` if the output is not a terminal */
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

/** Shrinks the widest column that allows it until the table fits, changing `widths`. */
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

/** Formats names and values, one pair per line. Values are escaped. Pairs without a value are left out. */
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
