import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeKey } from "../../lib/keys/key.ts";
import { countReads } from "../../test/support/count-reads.ts";
import { Glob, KeyPatternSet, matchesAny, removeCovered } from "./glob.ts";

const matches = (pattern: string, key: string) => new Glob(pattern).matches(key);

describe("Glob", () => {
  it.each([
    ["lock:*", "lock:", true],
    ["lock:*", "lock:a:b", true],
    ["lock:*", "xlock:a", false],
    ["*lock*", "my-lock-7", true],
    ["*a*b", "xxaxxb", true],
    ["*a*b", "xxbxxa", false],
    ["**", "ab", true],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["a", "ab", false],
    ["ab", "a", false],
    ["", "a", false],
  ])("Glob matches any run with * and one byte with ?: %s, %s: %s", (pattern, key, met) => {
    expect(matches(pattern, key)).toBe(met);
  });

  it.each([
    ["[abc]", "b", true],
    ["[abc]", "d", false],
    ["[a-c]x", "bx", true],
    ["[c-a]x", "bx", true],
    ["[a-c]x", "dx", false],
    ["[^a-c]", "d", true],
    ["[^a-c]", "b", false],
    ["[a-", "-", true],
    ["[-a]", "-", true],
    ["[*]", "*", true],
    ["[*]", "a", false],
    ["[a^]", "^", true],
  ])("Glob matches character classes: %s, %s: %s", (pattern, key, met) => {
    expect(matches(pattern, key)).toBe(met);
  });

  it.each([
    ["[\\]]", "]", true],
    ["[\\]]", "\\]", false],
    ["[a\\]b]", "b", true],
    ["[\\\\]", "\\", true],
    ["[\\^a]", "^", true],
    ["[a-]", "-", false],
    ["[a-]", "_", true],
    ["[a-]]", "b", false],
    ["[Z-]]", "[", true],
    ["[Z-]]", "Z]", false],
  ])(
    "Glob does not close a class at an escaped bracket or at the end of a range: %s, %s: %s",
    (pattern, key, met) => {
      expect(matches(pattern, key)).toBe(met);
    },
  );

  it.each([
    ["[", "[", false],
    ["[^", "x", true],
    ["[]", "]", false],
    ["[^]", "x", true],
    ["[ab", "b", true],
    ["[a-c", "b", true],
    ["[\\", "\\", true],
    ["[\\]", "]", true],
  ])("Glob treats an unclosed or empty class as Redis does: %s, %s: %s", (pattern, key, met) => {
    expect(matches(pattern, key)).toBe(met);
  });

  it.each([
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["\\a", "a", true],
    ["\\[a]", "[a]", true],
    ["a\\", "a\\", true],
    ["\\\\", "\\", true],
  ])("Glob matches an escaped character literally: %s, %s: %s", (pattern, key, met) => {
    expect(matches(pattern, key)).toBe(met);
  });

  it.each([
    ["?", "é", false],
    ["??", "é", true],
    ["????", "😀", true],
    ["lock:*", "lock:é", true],
    ["*é", "café", true],
    ["[é]", "é", false],
    ["[é][é]", "é", true],
  ])("Glob matches bytes, not characters: %s, %s: %s", (pattern, key, met) => {
    expect(matches(pattern, key)).toBe(met);
  });

  it("Glob matches the bytes of a key that is not UTF-8", () => {
    const key = decodeKey(Buffer.from("lock:\xff1", "latin1"));
    expect(matches("lock:?1", key)).toBe(true);
    expect(matches("*lock*", key)).toBe(true);
    expect(matches("*bG9j*", key)).toBe(false);
  });

  it("Glob takes bounded time for a hostile pattern and key", () => {
    const { text, reads } = countReads("a".repeat(1024), 4 * 300 * 1024);
    expect(matches(`${"*a".repeat(145)}*b`, text)).toBe(false);
    expect(reads()).toBeGreaterThan(1024);
  });
});

describe("matching several patterns", () => {
  it("a key matches a list of patterns if any of them matches, and never an empty list", () => {
    const globs = ["lock:*", "mutex:?"].map((pattern) => new Glob(pattern));
    expect(matchesAny(globs, "mutex:1")).toBe(true);
    expect(matchesAny(globs, "mutex:12")).toBe(false);
    expect(matchesAny([], "lock:1")).toBe(false);
  });
});

describe("key ranges", () => {
  it("a key range compares bytes, not the replacement characters shown for them", () => {
    const key = decodeKey(Buffer.concat([Buffer.from("lock:"), Buffer.of(0xff)]));
    expect(new KeyPatternSet(["lock:?"]).has(key)).toBe(true);
    expect(new KeyPatternSet(["lock:\ufffd"]).has(key)).toBe(false);
    expect(new KeyPatternSet(["lock:\ufffd"]).has("lock:\ufffd")).toBe(true);
  });
});

describe("redundant patterns", () => {
  it.each([
    [
      ["*lock*", "mutex:*", "lock:*", "mutex:a", "my-lock"],
      ["*lock*", "mutex:*"],
    ],
    [
      ["a*", "*a", "a*"],
      ["a*", "*a"],
    ],
    [["a?", "a*"], ["a*"]],
    [
      ["[a]*", "ab"],
      ["[a]*", "ab"],
    ],
  ])("patterns covered by another one are removed: %j", (patterns, rest) => {
    expect(removeCovered(patterns)).toEqual(rest);
  });

  it("the reduced patterns match the same keys as the original ones", () => {
    const text = (characters: string) => fc.string({ unit: fc.constantFrom(...characters), maxLength: 5 });
    fc.assert(
      fc.property(fc.array(text("ab*?[]^\\"), { maxLength: 5 }), text("ab*?[]\\"), (patterns, key) => {
        const globs = (of: readonly string[]) => of.map((pattern) => new Glob(pattern));
        expect(matchesAny(globs(removeCovered(patterns)), key)).toBe(matchesAny(globs(patterns), key));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("binary keys in key ranges", () => {
  it("a key range does not confuse a binary key with the text displayed for it", () => {
    const shown = "lock:\ufffd";
    const key = decodeKey(Uint8Array.of(...Buffer.from("lock:"), 0xff));
    for (const pattern of [shown, "lock:???"]) expect(new KeyPatternSet([pattern]).has(key)).toBe(false);
    for (const pattern of ["lock:*", "lock:?"]) expect(new KeyPatternSet([pattern]).has(key)).toBe(true);
    expect(new KeyPatternSet([shown]).has(shown)).toBe(true);
  });
});
