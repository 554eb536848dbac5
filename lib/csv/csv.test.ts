import fc from "fast-check";
import { expect, it } from "vitest";
import { formatCsvCell } from "./csv.ts";

it("no CSV cell can be executed, left or mistaken for another one", () => {
  const hostile = fc.constantFrom(
    "=",
    "+",
    "-",
    "@",
    "＝",
    "\t",
    "\r",
    "\n",
    '"',
    ",",
    " ",
    "\u202e",
    "\u200b",
    "\ud800",
  );
  const text = fc.string({ unit: fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 1 })) });
  fc.assert(
    fc.property(text, (value) => {
      const cell = formatCsvCell(value);
      expect(cell).toMatch(/^"(?:[^"]|"")*"$/su);
      expect(cell).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(cell.slice(1, -1)).not.toMatch(/^\s*[=+\-@＝＋－＠]/u);
    }),
  );
});

it.each([
  ["=1+1", `"'=1+1"`],
  ["\t@x", `"'\\u{9}@x"`],
  [-5, '"-5"'],
  [undefined, '""'],
  ['say "hi"', '"say ""hi"""'],
])("the CSV cell of %j is %s", (value, cell) => {
  expect(formatCsvCell(value)).toBe(cell);
});
