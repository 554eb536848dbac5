import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FACET_FIELDS, FACET_VALUES_MAX, type FacetField } from "../../../lib/contract/facet.ts";
import { formatExactTerm, tokenizeFilter } from "../../../lib/query/filter.ts";
import { createForeignHolder, type HeldObservation } from "../../formats/observation.ts";
import { KeyPatternSet } from "../../redis/glob.ts";
import { LockIndex } from "./lock-index.ts";
import { parseSortOrder } from "./query-context.ts";

const NOW = 1_790_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

const RECORDS = [
  undefined,
  { service: "pay" },
  { service: 'p"a y', host: "pod-1" },
  { host: "pod-2", session: "w 1" },
];

const HOLD_INPUT = fc.record({
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
type HoldInput = typeof HOLD_INPUT extends fc.Arbitrary<infer Value> ? Value : never;

function createLockIndex(looks: readonly HoldInput[], now = NOW + 100): LockIndex {
  const typical = (key: string) => (key.endsWith("a") ? 10 : undefined);
  const mirror = new LockIndex(undefined, { now: () => now, getTypicalHeldMs: typical });
  for (const { owners, records, mayBe, sinceMs, waiting, ...seen } of looks) {
    const holders = owners.map((owner, at) =>
      createForeignHolder(owner, { record: RECORDS[records[at] ?? 0], sinceMs: NOW + sinceMs }),
    ) as unknown as HeldObservation["holders"];
    mirror.applyObservation(
      {
        ...({ state: "held", asOf: NOW, type: "hash", confidence: "certain" } as const),
        ...{ ...seen, candidates: mayBe, holders },
        waiters: { count: waiting, known: waiting === null ? "unknown" : "exact" },
      },
      { wasGone: false, since: "exact", continuityId: "1" },
    );
  }
  return mirror;
}

const formatTerm = (field: FacetField, value: string) => {
  if (field === "waiters") return "waiters>0";
  return field === "service" || field === "host" || field === "session"
    ? formatExactTerm(field, value)
    : `${field}:${value}`;
};
const isTermOf = (field: FacetField, word: string) => new RegExp(`^${field}[:<>]`).test(word);

it("each facet value counts the locks its term matches, ignoring other terms of the same facet", async () => {
  const WORDS = [
    "format:token",
    "kind:read",
    "waiters>2",
    'service:="pay"',
    "is:needs_attention",
    "held>50ms",
    "w1",
  ];
  const filters = fc.uniqueArray(fc.constantFrom(...WORDS, "held>typical", "key:lock:c:*", "liveness:no*"), {
    maxLength: 3,
  });
  const within = fc.constantFrom(undefined, new KeyPatternSet(["lock:[a-c]*"]));
  await fc.assert(
    fc.asyncProperty(
      fc.array(HOLD_INPUT, { maxLength: 12 }),
      filters,
      within,
      async (looks, words, range) => {
        const mirror = createLockIndex(looks);
        const found = (filter: string) =>
          mirror.queryPage(filter, parseSortOrder("key"), { offset: 0 }, 0, range).total;
        const filter = words.join(" ");
        const counts = await mirror.facets.query({ filter, allowedKeys: range });
        expect(counts?.total).toBe(found(filter));
        for (const field of FACET_FIELDS) {
          const others = tokenizeFilter(filter).flatMap(({ word }) => (isTermOf(field, word) ? [] : [word]));
          const all = found(others.join(" "));
          let most = Number.POSITIVE_INFINITY;
          for (const { value, locks } of counts?.listTopValues(field) ?? []) {
            expect([field, value, locks]).toEqual([
              ...[field, value],
              found([...others, formatTerm(field, value)].join(" ")),
            ]);
            expect(locks).toBeLessThanOrEqual(most);
            most = locks;
          }
          if (field === "waiters")
            expect(counts?.countWithout(field)).toBe(all - (Number.isFinite(most) ? most : 0));
        }
      },
    ),
    { numRuns: 200 },
  );
});

const buildHostInput = (n: number): HoldInput => ({
  ...{ key: `lock:${n}`, owners: ["w1"], records: [0, 0], format: "redisson", mayBe: [], kind: "lock" },
  ...({ sinceMs: 0, remainingMs: 1000, waiting: n % 2 === 0 ? 0 : 1 } as const),
});

it("a facet with many values lists the most frequent ones and counts the rest", async () => {
  const mirror = new LockIndex();
  for (let n = 0; n < 3000; n++) {
    const { key } = buildHostInput(n);
    mirror.applyObservation(
      {
        ...({ state: "held", key, asOf: NOW, type: "hash", confidence: "certain", kind: "lock" } as const),
        ...({ format: "redisson", candidates: [], remainingMs: 1000 } as const),
        holders: [
          createForeignHolder("w1", { record: { host: n % 3 === 0 ? `few-${n % 30}` : `one-${n}` } }),
        ],
      },
      { wasGone: false, since: "exact", continuityId: "1" },
    );
  }
  const counts = await mirror.facets.query({ filter: "" });
  const top = counts?.listTopValues("host") ?? [];
  expect(top).toHaveLength(FACET_VALUES_MAX);
  expect(top.slice(0, 11).map(({ value, locks }) => [value, locks])).toEqual([
    ...[0, 12, 15, 18, 21, 24, 27, 3, 6, 9].map((n) => [`few-${n}`, 100]),
    ["one-1", 1],
  ]);
  expect(counts?.countValues("host")).toBe(2010);
});

it("facet counts are cached while the index is unchanged and recomputed after a change", async () => {
  const looks = [buildHostInput(1), buildHostInput(2)];
  const mirror = createLockIndex(looks);
  const first = mirror.facets.query({ filter: "" });
  expect(mirror.facets.query({ filter: "" })).toBe(first);
  expect((await first)?.total).toBe(2);
  mirror.applyObservation(
    { state: "free", key: "lock:1", asOf: NOW + 1, waiters: { count: 0, known: "exact" } },
    { wasGone: true, since: "exact", continuityId: "1" },
  );
  vi.advanceTimersByTime(999);
  expect((await mirror.facets.query({ filter: "" }))?.total).toBe(2);
  vi.advanceTimersByTime(1);
  expect((await mirror.facets.query({ filter: "" }))?.total).toBe(1);
});

it("concurrent facet queries are queued, and those beyond the limit are rejected", async () => {
  const mirror = createLockIndex([buildHostInput(1)]);
  const answers = Array.from({ length: 40 }, (_, n) => mirror.facets.query({ filter: `key:lock:${n}` }));
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(24);
  expect((await answers[1])?.total).toBe(1);
  await Promise.all(answers);
  expect((await mirror.facets.query({ filter: "key:lock:39" }))?.total).toBe(0);
});

it("the reported compute time of facet counts excludes time spent in the queue", async () => {
  const mirror = createLockIndex(Array.from({ length: 500 }, (_, n) => buildHostInput(n)));
  // Evaluating a lock takes one millisecond of the simulated time.
  const allowedKeys = new KeyPatternSet(["*"]);
  vi.spyOn(allowedKeys, "has").mockImplementation(() => vi.advanceTimersByTime(1) !== undefined);
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) => mirror.facets.query({ filter: `key:lock:*${n}*`, allowedKeys })),
  );
  expect(performance.now() - startedAt).toBe(16 * 500);
  expect(answers.map((counts) => counts?.tookMs)).toEqual(answers.map(() => 500));
});
