import fc from "fast-check";
import { expect, test } from "vitest";
import { DECLARED_HOLDS_MAX, formatDeclaration, parseDeclaration } from "./wait-declaration.ts";

const declarations = fc.record({
  onDeadlock: fc.constantFrom("report" as const, "refuse" as const),
  waitId: fc.string({ minLength: 1, maxLength: 20 }),
  principal: fc.option(fc.string({ minLength: 1, maxLength: 20 }), { nil: undefined }),
  holding: fc.array(
    fc.record({ key: fc.string({ unit: "binary", maxLength: 40 }), token: fc.string({ maxLength: 40 }) }),
    {
      maxLength: 4,
    },
  ),
});

test("a declaration is one line without tabs and is read as it was written", () => {
  fc.assert(
    fc.property(declarations, (declaration) => {
      const text = formatDeclaration(declaration);
      expect(text).not.toMatch(/[\t\n\r]/);
      expect(parseDeclaration(text)).toEqual(declaration);
    }),
  );
});

test("a declaration has at most 16 holds and 2,048 characters", () => {
  const declare = (length: number) => {
    const holding = Array.from({ length: 100 }, (_, at) => ({ key: "k".repeat(length), token: `t:${at}` }));
    const text = formatDeclaration({ onDeadlock: "report", waitId: "id", holding });
    expect(text.length).toBeLessThanOrEqual(2048);
    return parseDeclaration(text)?.holding.length;
  };
  expect(declare(10)).toBe(DECLARED_HOLDS_MAX);
  expect(declare(500)).toBe(3);
});

test("anything else is not a declaration", () => {
  for (const text of [
    undefined,
    "",
    "{}",
    "[]",
    '["report"]',
    '["always","id",""]',
    '["report","",""]',
    '["report","id"]',
    '["report","id","",1]',
    "[1]",
    "x",
  ])
    expect(parseDeclaration(text)).toBeUndefined();
  fc.assert(fc.property(fc.string(), (text) => void parseDeclaration(text)));
});
