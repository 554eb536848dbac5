import fc from "fast-check";
import { expect, test } from "vitest";
import { formatExactTerm, matchesFilter, parseFilter } from "@/lib/query/filter.ts";
import {
  buildPrefixTerm,
  findFacetTerms,
  findFieldTerms,
  isSameTerm,
  removeFacetTerms,
  removeTerm,
  replaceFieldTerm,
  splitTerm,
} from "./facet-terms.ts";

test("selecting a facet value replaces its filter term and keeps the rest of the filter", () => {
  const ticked = replaceFieldTerm('billing  service:="a b" held>5m', "format", "format:redisson");
  expect(ticked).toBe('billing service:="a b" held>5m format:redisson');
  expect(replaceFieldTerm(ticked, "format", "format:token")).toBe(
    'billing service:="a b" held>5m format:token',
  );
  expect(replaceFieldTerm(ticked, "service", undefined)).toBe("billing held>5m format:redisson");
  expect(replaceFieldTerm("", "waiters", "waiters>0")).toBe("waiters>0");
  expect(findFieldTerms("waiters>2 liveness:overdue", "waiters")).toEqual(["waiters>2"]);
});

test("facet terms of a filter are recognized and cleared, and typed terms stay", () => {
  const filter = "key:lock:orders:* key:lock:9 is:needs_attention waiters>0 host:=h1 text";
  expect(findFacetTerms(filter)).toEqual(["key:lock:orders:*", "waiters>0", "host:=h1"]);
  expect(removeFacetTerms(filter)).toBe("key:lock:9 is:needs_attention text");
});

test("a facet value counts as selected however its filter term is written", () => {
  expect(isSameTerm("format:Redisson", "format:redisson")).toBe(true);
  expect(isSameTerm('service:="pay"', "service:=pay")).toBe(true);
  expect(isSameTerm('service:="pay"', "service:=payments")).toBe(false);
  expect(isSameTerm("waiters>0", "waiters>2")).toBe(false);
  const value = fc.stringMatching(/^[ -~]{1,20}$/);
  fc.assert(
    fc.property(value, value, (one, other) => {
      const [a, b] = [formatExactTerm("service", one), formatExactTerm("service", other)];
      expect(isSameTerm(a, b)).toBe(one.toLowerCase() === other.toLowerCase());
      expect(findFieldTerms(`x ${a} y`, "service")).toEqual([a]);
    }),
  );
});

test("the filter term of a namespace matches the keys in it", () => {
  const prefix = fc.stringMatching(/^[!-~ \t=":*?]{1,30}:$/);
  fc.assert(
    fc.property(prefix, (one) => {
      const word = buildPrefixTerm(one);
      const terms = parseFilter(word);
      expect(terms).toHaveLength(1);
      expect(matchesFilter(terms, { key: `${one}42`, owners: [], records: [] })).toBe(true);
      expect(findFacetTerms(`a ${word} b`)).toEqual([word]);
    }),
  );
});

test("a filter term is shown as its field and value, and removed alone", () => {
  expect(splitTerm('service:="pay \\"desk\\""')).toEqual({ field: "service", value: 'pay "desk"' });
  expect(splitTerm("key:lock:orders:*")).toEqual({ field: "key", value: "lock:orders:*" });
  expect(splitTerm("waiters>0")).toEqual({ field: "waiters", value: ">0" });
  expect(removeTerm('key:a:* service:="a b" held>5m', 'service:="a b"')).toBe("key:a:* held>5m");
});
