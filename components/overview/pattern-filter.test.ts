import fc from "fast-check";
import { expect, test } from "vitest";
import { BINARY_PATTERN, patternOf } from "@/lib/keys/key-pattern.ts";
import { matchesFilter, parseFilter } from "@/lib/query/filter.ts";
import { filterOfPattern } from "./pattern-filter.ts";

test("the filter of a pattern finds the keys that have it", () => {
  const key = fc.stringMatching(/^[-!-~ \t=":*?]{1,60}$/);
  fc.assert(
    fc.property(key, (one) => {
      const filter = filterOfPattern(patternOf(one));
      expect(filter).not.toBeNull();
      const terms = parseFilter(filter ?? "");
      expect(terms).toHaveLength(1);
      expect(matchesFilter(terms, { key: one, owners: [], records: [] })).toBe(true);
    }),
  );
});

test("a pattern that begins as an exact text does is still a pattern", () => {
  expect(filterOfPattern('="a b"')).toBe('key:?"a?b"');
});

test("what has no pattern has no filter", () => {
  expect(filterOfPattern("(other)")).toBeNull();
  expect(filterOfPattern(BINARY_PATTERN)).toBeNull();
});
