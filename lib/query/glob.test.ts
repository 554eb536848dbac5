import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countReads } from "../../test/support/count-reads.ts";
import { matchesGlob } from "./glob.ts";

/** Matches a glob with a regular expression, which can take exponential time. */
function matchesByExpression(glob: string, text: string): boolean {
  const source = glob
    .split("")
    .map((character) => (character === "*" ? ".*" : character === "?" ? "." : `\\x${toHex(character)}`));
  return new RegExp(`^${source.join("")}$`, "s").test(text);
}

const toHex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");

describe("glob matching", () => {
  it("matches what the same regular expression matches", () => {
    const glob = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 12 });
    const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 24 });
    fc.assert(
      fc.property(glob, text, (one, other) => {
        expect(matchesGlob(one, other)).toBe(matchesByExpression(one, other));
      }),
      { numRuns: 5000 },
    );
  });

  it("matches long texts that lead astray as the regular expression does", () => {
    const run = fc.integer({ min: 0, max: 80 }).map((length) => "a".repeat(length));
    const glob = fc
      .array(fc.oneof(run, fc.constantFrom("*", "*", "?", "b", "ab")), { maxLength: 6 })
      .map((parts) => parts.join(""));
    const text = fc.tuple(run, run, fc.constantFrom("", "b", "ba")).map((parts) => parts.join("b"));
    fc.assert(
      fc.property(glob, text, (one, other) => {
        expect(matchesGlob(one, other)).toBe(matchesByExpression(one, other));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ["a run of one character", `*${"a".repeat(298)}b`],
    ["many stars", `${"*a".repeat(149)}b`],
    ["wildcards between", `*${"a?".repeat(149)}b`],
  ])("a glob of 300 characters with %s is read a few times per character of a key", (_, glob) => {
    const text = "a".repeat(1024);
    const counted = countReads(text, 10 * (glob.length + text.length));
    expect(matchesGlob(glob, counted.text)).toBe(false);
  });
});
