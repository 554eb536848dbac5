import { expect, it } from "vitest";
import { measureColumns } from "./printable.ts";
import { PLAIN_STYLE } from "./style.ts";
import { formatPairs, formatTable, type TableColumn } from "./table.ts";

interface Row {
  readonly key: string;
  readonly held: string;
}

const COLUMNS: readonly TableColumn<Row>[] = [
  { title: "KEY", format: ({ key }) => key, overflow: "truncate" },
  { title: "HELD", format: ({ held }) => held, align: "right" },
];

it("columns are aligned, with wide characters too", () => {
  const rows = [
    { key: "订单:42", held: "30s" },
    { key: "orders:4242", held: "5m 3s" },
  ];
  expect(formatTable(COLUMNS, rows, PLAIN_STYLE)).toBe(
    ["KEY           HELD", "订单:42        30s", "orders:4242  5m 3s", ""].join("\n"),
  );
});

it("a table that is wider than the terminal shortens keys", () => {
  const rows = [{ key: "k".repeat(100), held: "30s" }];
  const lines = formatTable(COLUMNS, rows, PLAIN_STYLE, 40).trimEnd().split("\n");
  expect(lines.map(measureColumns)).toEqual([40, 40]);
  expect(lines[1]).toMatch(/^k+… {3}30s$/);
});

it("control characters in cells and values are escaped", () => {
  const rows = [{ key: "a\u001b[31m\n", held: "" }];
  expect(formatTable(COLUMNS, rows, PLAIN_STYLE)).toContain("a\\u{1b}[31m\\u{a}");
  expect(formatPairs([["Owner", "a\nb"]], PLAIN_STYLE)).toBe("Owner  a\\u{a}b\n");
});

it("pairs without a value are left out, and values are aligned", () => {
  const pairs = [
    ["State", "held"],
    ["Note", undefined],
    ["Fencing token", "1"],
  ] as const;
  expect(formatPairs(pairs, PLAIN_STYLE)).toBe("State          held\nFencing token  1\n");
});
