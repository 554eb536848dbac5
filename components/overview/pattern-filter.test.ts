import fc from "fast-check";
import { expect, test } from "vitest";
import { BINARY_PATTERN, toKeyPattern } from "@/lib/keys/key-pattern.ts";
import { matchesFilter, parseFilter } from "@/lib/query/filter.ts";
import { buildPatternFilter } from "./pattern-filter.ts";

test("the filter of a key pattern matches every key with that pattern", () => {
  const key = fc.stringMatching(/^[-!-~ \t=":*?]{1,60}$/);
  fc.assert(
    fc.property(key, (one) => {
      const filter = buildPatternFilter(toKeyPattern(one));
      expect(filter).not.toBeNull();
      const terms = parseFilter(filter ?? "");
      expect(terms).toHaveLength(1);
      expect(matchesFilter(terms, { key: one, owners: [], records: [] })).toBe(true);
    }),
  );
});

test("a pattern that starts like an exact term is still read as a pattern", () => {
  expect(buildPatternFilter('="a b"')).toBe('key:?"a?b"');
});

test("a group without a key pattern has no filter", () => {
  expect(buildPatternFilter("(other)")).toBeNull();
  expect(buildPatternFilter(BINARY_PATTERN)).toBeNull();
});
