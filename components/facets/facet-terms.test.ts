import fc from "fast-check";
import { expect, test } from "vitest";
import { exactTerm, matchesFilter, parseFilter } from "@/lib/query/filter.ts";
import {
  isSameWord,
  narrowingsIn,
  withoutNarrowings,
  withWord,
  wordOfNamespace,
  wordsOf,
} from "./facet-terms.ts";

test("selecting a facet value replaces its filter term and keeps the rest of the filter", () => {
  const ticked = withWord('billing  service:="a b" held>5m', "format", "format:redisson");
  expect(ticked).toBe('billing service:="a b" held>5m format:redisson');
  expect(withWord(ticked, "format", "format:token")).toBe('billing service:="a b" held>5m format:token');
  expect(withWord(ticked, "service", undefined)).toBe("billing held>5m format:redisson");
  expect(withWord("", "waiters", "waiters>0")).toBe("waiters>0");
  expect(wordsOf("waiters>2 verdict:late", "waiters")).toEqual(["waiters>2"]);
});

test("facet terms of a filter are recognized and cleared, and typed terms stay", () => {
  const filter = "key:lock:orders:* key:lock:9 is:abnormal waiters>0 host:=h1 text";
  expect(narrowingsIn(filter)).toEqual(["key:lock:orders:*", "waiters>0", "host:=h1"]);
  expect(withoutNarrowings(filter)).toBe("key:lock:9 is:abnormal text");
});

test("a facet value counts as selected however its filter term is written", () => {
  expect(isSameWord("format:Redisson", "format:redisson")).toBe(true);
  expect(isSameWord('service:="pay"', "service:=pay")).toBe(true);
  expect(isSameWord('service:="pay"', "service:=payments")).toBe(false);
  expect(isSameWord("waiters>0", "waiters>2")).toBe(false);
  const value = fc.stringMatching(/^[ -~]{1,20}$/);
  fc.assert(
    fc.property(value, value, (one, other) => {
      const [a, b] = [exactTerm("service", one), exactTerm("service", other)];
      expect(isSameWord(a, b)).toBe(one.toLowerCase() === other.toLowerCase());
      expect(wordsOf(`x ${a} y`, "service")).toEqual([a]);
    }),
  );
});

test("the filter term of a namespace matches the keys in it", () => {
  const prefix = fc.stringMatching(/^[!-~ \t=":*?]{1,30}:$/);
  fc.assert(
    fc.property(prefix, (one) => {
      const word = wordOfNamespace(one);
      const terms = parseFilter(word);
      expect(terms).toHaveLength(1);
      expect(matchesFilter(terms, { key: `${one}42`, owners: [], records: [] })).toBe(true);
      expect(narrowingsIn(`a ${word} b`)).toEqual([word]);
    }),
  );
});
