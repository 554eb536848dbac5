import fc from "fast-check";
import { expect, it } from "vitest";
import { FACET_FIELDS, FACET_VALUES_MAX, type FacetField } from "../../../lib/contract/facet.ts";
import { exactTerm, wordsOfFilter } from "../../../lib/query/filter.ts";
import { type HeldObservation, strangerOf } from "../../formats/observation.ts";
import { KeyRange } from "../../redis/glob.ts";
import { Mirror } from "./lock-index.ts";
import { orderOf } from "./query-cache.ts";

const NOW = 1_790_000_000_000;
const RECORDS = [undefined, { service: "pay" }, { service: 'p"a y', host: "pod-1" }, { host: "pod-2" }];

const LOOK = fc.record({
  key: fc.constantFrom("a", "b", "c:1", "c:2", "d").map((name) => `lock:${name}`),
  owners: fc.uniqueArray(fc.constantFrom("w1", "w2"), { minLength: 1, maxLength: 2 }),
  records: fc.tuple(fc.nat(3), fc.nat(3)),
  format: fc.constantFrom("redisson" as const, "token" as const),
  mayBe: fc.constantFrom<("redsync" | "token")[]>([], ["redsync"], ["redsync", "token"]),
  kind: fc.constantFrom("lock" as const, "read" as const),
  sinceMs: fc.nat(100),
  remainingMs: fc.constantFrom(null, 1000),
  waiting: fc.constantFrom(null, 0, 1, 5),
});
type Look = typeof LOOK extends fc.Arbitrary<infer Value> ? Value : never;

function mirrorOf(looks: readonly Look[], now = NOW + 100): Mirror {
  const usual = (key: string) => (key.endsWith("a") ? 10 : undefined);
  const mirror = new Mirror(undefined, { now: () => now, usual });
  for (const { owners, records, mayBe, sinceMs, waiting, ...seen } of looks) {
    const holders = owners.map((owner, at) =>
      strangerOf(owner, { record: RECORDS[records[at] ?? 0], sinceMs: NOW + sinceMs }),
    ) as unknown as HeldObservation["holders"];
    mirror.observe(
      {
        ...({ state: "held", asOf: NOW, type: "hash", confidence: "certain" } as const),
        ...{ ...seen, candidates: mayBe, holders },
        waiters: { count: waiting, known: waiting === null ? "unknowable" : "exact" },
      },
      { wasGone: false, since: "exact", sight: "1" },
    );
  }
  return mirror;
}

const wordFor = (field: FacetField, value: string) => {
  if (field === "waiters") return "waiters>0";
  return field === "service" || field === "host" ? exactTerm(field, value) : `${field}:${value}`;
};
const isOf = (field: FacetField, word: string) => new RegExp(`^${field}[:<>]`).test(word);

it("each facet value counts the locks its term matches, ignoring other terms of the same facet", async () => {
  const WORDS = [
    "format:token",
    "kind:read",
    "waiters>2",
    'service:="pay"',
    "is:abnormal",
    "held>50ms",
    "w1",
  ];
  const filters = fc.uniqueArray(fc.constantFrom(...WORDS, "held>usual", "key:lock:c:*", "verdict:no*"), {
    maxLength: 3,
  });
  const within = fc.constantFrom(undefined, new KeyRange(["lock:[a-c]*"]));
  await fc.assert(
    fc.asyncProperty(fc.array(LOOK, { maxLength: 12 }), filters, within, async (looks, words, range) => {
      const mirror = mirrorOf(looks);
      const found = (filter: string) => mirror.page(filter, orderOf("key"), { offset: 0 }, 0, range).total;
      const filter = words.join(" ");
      const counts = await mirror.facets.ask({ filter, within: range });
      expect(counts?.total).toBe(found(filter));
      for (const field of FACET_FIELDS) {
        const others = wordsOfFilter(filter).flatMap(({ word }) => (isOf(field, word) ? [] : [word]));
        const all = found(others.join(" "));
        let most = Number.POSITIVE_INFINITY;
        for (const { value, locks } of counts?.top(field) ?? []) {
          expect([field, value, locks]).toEqual([
            ...[field, value],
            found([...others, wordFor(field, value)].join(" ")),
          ]);
          expect(locks).toBeLessThanOrEqual(most);
          most = locks;
        }
        if (field === "waiters")
          expect(counts?.without(field)).toBe(all - (Number.isFinite(most) ? most : 0));
      }
    }),
    { numRuns: 200 },
  );
});

const host = (n: number): Look => ({
  ...{ key: `lock:${n}`, owners: ["w1"], records: [0, 0], format: "redisson", mayBe: [], kind: "lock" },
  ...({ sinceMs: 0, remainingMs: 1000, waiting: n % 2 === 0 ? 0 : 1 } as const),
});

it("a facet with many values lists the most frequent ones and counts the rest", async () => {
  const mirror = new Mirror();
  for (let n = 0; n < 3000; n++) {
    const { key } = host(n);
    mirror.observe(
      {
        ...({ state: "held", key, asOf: NOW, type: "hash", confidence: "certain", kind: "lock" } as const),
        ...({ format: "redisson", candidates: [], remainingMs: 1000 } as const),
        holders: [strangerOf("w1", { record: { host: n % 3 === 0 ? `few-${n % 30}` : `one-${n}` } })],
      },
      { wasGone: false, since: "exact", sight: "1" },
    );
  }
  const counts = await mirror.facets.ask({ filter: "" });
  const top = counts?.top("host") ?? [];
  expect(top).toHaveLength(FACET_VALUES_MAX);
  expect(top.slice(0, 11).map(({ value, locks }) => [value, locks])).toEqual([
    ...[0, 12, 15, 18, 21, 24, 27, 3, 6, 9].map((n) => [`few-${n}`, 100]),
    ["one-1", 1],
  ]);
  expect(counts?.size("host")).toBe(2010);
});

it("facet counts are cached while the index is unchanged and recomputed after a change", async () => {
  const looks = [host(1), host(2)];
  const mirror = mirrorOf(looks);
  const first = mirror.facets.ask({ filter: "" });
  expect(mirror.facets.ask({ filter: "" })).toBe(first);
  expect((await first)?.total).toBe(2);
  mirror.observe(
    { state: "free", key: "lock:1", asOf: NOW + 1, waiters: { count: 0, known: "exact" } },
    { wasGone: true, since: "exact", sight: "1" },
  );
  const deadline = performance.now() + 10_000;
  while ((await mirror.facets.ask({ filter: "" }))?.total !== 1) {
    expect(performance.now()).toBeLessThan(deadline);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

it("concurrent facet queries are queued, and those beyond the limit are rejected", async () => {
  const mirror = mirrorOf([host(1)]);
  const answers = Array.from({ length: 40 }, (_, n) => mirror.facets.ask({ filter: `key:lock:${n}` }));
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(24);
  expect((await answers[1])?.total).toBe(1);
  await Promise.all(answers);
  expect((await mirror.facets.ask({ filter: "key:lock:39" }))?.total).toBe(0);
});

it("the reported compute time of facet counts excludes time spent in the queue", async () => {
  const mirror = mirrorOf(Array.from({ length: 5000 }, (_, n) => host(n)));
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) => mirror.facets.ask({ filter: `key:lock:*${n}*` })),
  );
  const elapsedMs = performance.now() - startedAt;
  const last = answers.slice(-5).map((counts) => counts?.tookMs ?? Number.NaN);
  expect(Math.min(...last)).toBeLessThan(elapsedMs / 4);
  expect(Math.min(...last)).toBeGreaterThan(0);
});
