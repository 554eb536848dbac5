import fc from "fast-check";
import { expect, it } from "vitest";
import { measureColumns, padToColumns, toPrintable, truncateToColumns } from "./printable.ts";

it.each([
  ["lock:\u001b[2J", "lock:\\u{1b}[2J"],
  ["a\r\nb\tc", "a\\u{d}\\u{a}b\\u{9}c"],
  ["\u202egnp.exe", "\\u{202e}gnp.exe"],
  ["\u009b31m", "\\u{9b}31m"],
  ["订单-42", "订单-42"],
])("%j is printed as %j", (text, printed) => {
  expect(toPrintable(text)).toBe(printed);
});

it("a wide character occupies two columns, a combining one none", () => {
  expect([measureColumns("订单"), measureColumns("e\u0301"), measureColumns("ok")]).toEqual([4, 1, 2]);
});

it("text is shortened between characters", () => {
  expect(truncateToColumns("订单服务", 5)).toBe("订单…");
  expect(truncateToColumns("订单服务", 8)).toBe("订单服务");
  expect(truncateToColumns("orders", 1)).toBe("…");
});

it("every printable text fits into its columns and has no control characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
      const cell = padToColumns(truncateToColumns(toPrintable(text), columns), columns);
      expect(cell).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(measureColumns(cell)).toBe(columns);
    }),
  );
});
