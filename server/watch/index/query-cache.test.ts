import fc from "fast-check";
import { expect, it } from "vitest";
import type { FormatName } from "../../../lib/contract/format.ts";
import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import { LOCK_SORT_FIELDS, type LockSortField } from "../../../lib/contract/lock-sort.ts";
import { createForeignHolder, type HeldObservation } from "../../formats/observation.ts";
import { computeRank, getHeldSince } from "../holds/attention.ts";
import { getHolderSince, type ObservedHold } from "../holds/observed-hold.ts";
import { LockIndex } from "./lock-index.ts";
import { parseSortOrder } from "./query-context.ts";
import { SortedKeys, type SortPosition } from "./sorted-keys.ts";

const NOW = 1_790_000_000_000;

interface HoldInput {
  readonly key: string;
  readonly owner: string;
  readonly count: number;
  readonly format: FormatName;
  readonly fence: string | null;
  readonly asOf: number;
  readonly remainingMs: number | null;
  readonly waiting: number;
  readonly record: OwnerRecord | undefined;
  readonly wasGone: boolean;
}

function toObservation({
  key,
  owner,
  count,
  format,
  fence,
  asOf,
  remainingMs,
  waiting,
  record,
}: HoldInput): HeldObservation {
  return {
    ...{ state: "held", key, asOf: NOW + asOf, type: "hash", format, candidates: [], kind: "lock" },
    ...{ confidence: "certain", remainingMs, waiters: { count: waiting, known: "exact" } },
    holders: [createForeignHolder(owner, { count, fence, record })],
  };
}

function applyInput(mirror: LockIndex, look: HoldInput): void {
  const { wasGone } = look;
  mirror.applyObservation(toObservation(look), { wasGone, since: "exact", continuityId: "1" });
}

const FIRST: Omit<HoldInput, "key"> = {
  ...{ owner: "pod-1", count: 1, format: "redisson", fence: null, asOf: 0, remainingMs: 1000 },
  ...{ waiting: 0, record: undefined, wasGone: false },
};

const small = fc.integer({ min: 0, max: 3 });
const key = fc.constantFrom(..."abcdefgh").map((name) => `lock:${name}`);
/** A new value for one field of an observation. */
const operation = fc.oneof(
  fc.constantFrom("pod-1", "pod-2").map((owner) => ({ owner })),
  small.map((count) => ({ count })),
  fc.constantFrom("redisson" as const, "token" as const).map((format) => ({ format })),
  fc.constantFrom(null, "7", "10").map((fence) => ({ fence })),
  // Some of the resulting deadlines differ by no more than the clock tolerance, so they count as equal.
  fc.integer({ min: 0, max: 20 }).map((asOf) => ({ asOf })),
  fc.constantFrom(null, 0, 1000, 1004, 1008).map((remainingMs) => ({ remainingMs })),
  small.map((waiting) => ({ waiting })),
  fc
    .constantFrom(
      undefined,
      { service: "billing" },
      { service: "billing", host: "pod-1" },
      { service: "pay" },
    )
    .map((record) => ({ record })),
  fc.constant({ wasGone: true }),
);

let now = NOW;
/** Returns the typical hold time of a key in ms. In production, it depends on the key's pattern. */
const getTypicalMs = (name: string) => (name === "lock:a" ? undefined : 1500);

const FILTERS: Readonly<Record<string, (hold: ObservedHold) => boolean>> = {
  "held>2s": (hold) => now - getHeldSince(hold) > 2000,
  "held<1.5s key:lock:*": (hold) => now - getHeldSince(hold) < 1500,
  "remaining<500ms": ({ endsAtMs }) => endsAtMs !== null && endsAtMs - now < 500,
  "remaining>1s": ({ endsAtMs }) => endsAtMs === null || endsAtMs - now > 1000,
  "held>typical": (hold) => now - getHeldSince(hold) > (getTypicalMs(hold.key) ?? Number.POSITIVE_INFINITY),
  "waiters>1": ({ seen }) => (seen.waiters?.count ?? 0) > 1,
  "count<2": ({ seen }) => seen.holders[0].count < 2,
  "is:needs_attention": (hold) =>
    hold.seen.state === "held" &&
    (["overdue", "no_ttl"].includes(hold.liveness.state) ||
      now - getHeldSince(hold) > 2 * (getTypicalMs(hold.key) ?? Number.POSITIVE_INFINITY)),
  "": () => true,
  "owner:pod-1": ({ seen }) => seen.holders[0].owner === "pod-1",
  "format:redis*": ({ seen }) => seen.format === "redisson",
  "liveness:no_ttl": ({ seen }) => seen.remainingMs === null,
  billing: ({ seen }) => seen.holders[0].record?.service === "billing",
  "key:*a pod-1": ({ key, seen }) =>
    key === "lock:a" && (seen.holders[0].owner === "pod-1" || seen.holders[0].record?.host === "pod-1"),
};

const VALUES: Record<LockSortField, (hold: ObservedHold) => string | number> = {
  key: (hold) => hold.key,
  owner: ({ seen }) => seen.holders[0].record?.service ?? seen.holders[0].owner,
  count: ({ seen }) => seen.holders[0].count,
  remaining: ({ endsAtMs }) => endsAtMs ?? Number.MAX_SAFE_INTEGER,
  waiters: ({ seen }) => seen.waiters?.count ?? -1,
  held: ({ holders }) => -getHolderSince(holders[0]).since,
  fence: ({ seen }) => Number(seen.holders[0].fence ?? -1),
  format: ({ seen }) => seen.format,
  attention: (hold) => computeRank(hold, now, getTypicalMs(hold.key) ?? Number.POSITIVE_INFINITY),
};

/** Filters and sorts all holds without a cache. */
function listNaively(mirror: LockIndex, filter: string, sort: string): ObservedHold[] {
  const { field, direction } = parseSortOrder(sort);
  const holds = [...mirror.keys()].flatMap((each) => mirror.get(each) ?? []);
  return holds
    .filter((hold) => FILTERS[filter]?.(hold))
    .sort((a, b) => {
      const [x, y] = [VALUES[field](a), VALUES[field](b)];
      if (x !== y) return x < y ? -direction : direction;
      return a.key < b.key ? -1 : 1;
    });
}

it("a cached page equals filtering and sorting all locks from scratch, after any changes and queries", () => {
  type Step = (mirror: LockIndex, looks: Map<string, HoldInput>) => void;
  const came: fc.Arbitrary<Step> = fc.tuple(key, operation).map(([name, change]) => (mirror, looks) => {
    const next = { ...FIRST, ...looks.get(name), wasGone: false, ...change, key: name };
    looks.set(name, next);
    applyInput(mirror, next);
  });
  const went: fc.Arbitrary<Step> = key.map((gone) => (mirror) => {
    mirror.applyObservation(
      { state: "free", key: gone, asOf: NOW },
      { wasGone: false, since: "exact", continuityId: "1" },
    );
  });
  const passed: fc.Arbitrary<Step> = fc.integer({ min: 1, max: 2500 }).map((ms) => () => {
    now += ms;
  });
  const question: fc.Arbitrary<Step> = fc
    .record({
      filter: fc.constantFrom(...Object.keys(FILTERS)),
      sort: fc.constantFrom(...LOCK_SORT_FIELDS, ...LOCK_SORT_FIELDS.map((field) => `-${field}`)),
      offset: fc.integer({ min: 0, max: 12 }),
      limit: fc.integer({ min: 0, max: 9 }),
      laterMs: fc.integer({ min: 0, max: 2500 }),
    })
    .map(({ filter, sort, offset, limit, laterMs }) => (mirror) => {
      // Caches the result, so that the second query updates the cached result.
      mirror.queryPage(filter, parseSortOrder(sort), { offset }, limit);
      now += laterMs;
      const all = listNaively(mirror, filter, sort);
      const page = mirror.queryPage(filter, parseSortOrder(sort), { offset }, limit);
      expect(page.holds).toEqual(all.slice(offset, offset + limit));
      expect(page.total).toBe(all.length);
      expect(page.next !== undefined).toBe(limit > 0 && all.length > offset + limit);
      if (page.next === undefined) return;
      const following = mirror.queryPage(filter, parseSortOrder(sort), { after: page.next }, limit);
      expect(following.holds).toEqual(all.slice(offset + limit, offset + 2 * limit));
      expect(following.total).toBe(all.length);
    });
  const steps = fc.array(
    fc.oneof({ weight: 6, arbitrary: came }, went, passed, { weight: 4, arbitrary: question }),
    {
      ...{ maxLength: 100, size: "max" },
    },
  );
  fc.assert(
    fc.property(steps, (all) => {
      now = NOW;
      const mirror = new LockIndex(undefined, { now: () => now, getTypicalHeldMs: getTypicalMs });
      const looks = new Map<string, HoldInput>();
      for (const step of all) step(mirror, looks);
    }),
    { numRuns: 300 },
  );
});

it("a cached query result is correct after many changes between two requests for it", () => {
  const mirror = new LockIndex();
  const one = (name: number, count: number): HoldInput => ({
    ...FIRST,
    key: `lock:${name}`,
    count,
  });
  const asked = () =>
    mirror.queryPage("", parseSortOrder("-count"), { offset: 0 }, 50).holds.map((hold) => hold.key);
  for (let name = 0; name < 60; name++) applyInput(mirror, one(name, 1));
  expect(asked()).toHaveLength(50);
  mirror.queryPage("owner:pod-1", parseSortOrder("key"), { offset: 0 }, 1);
  for (let round = 0; round < 400; round++) {
    for (let name = 0; name < 60; name++) applyInput(mirror, one(name, round + name));
    if (round % 50 === 0) mirror.queryPage("owner:pod-1", parseSortOrder("key"), { offset: 0 }, 1);
  }
  expect(asked()).toEqual(
    listNaively(mirror, "", "-count")
      .slice(0, 50)
      .map((hold) => hold.key),
  );
});

it("a sorted list of thousands of keys stays in order during inserts and deletes", () => {
  const steps = fc.array(fc.tuple(fc.nat(4000), fc.nat(300)), {
    minLength: 3000,
    maxLength: 6000,
    size: "max",
  });
  const check = (all: [number, number][], direction: 1 | -1, begin: number) => {
    const values = new Map<string, number>();
    for (const [name, value] of all.slice(0, begin)) values.set(`k${name}`, value);
    const sorted = SortedKeys.from(direction, [...values.values()], [...values.keys()]);
    for (const [name, value] of all.slice(begin)) {
      const known = values.get(`k${name}`);
      if (known !== undefined) expect(sorted.delete(known, `k${name}`)).toBe(true);
      // Three of four known keys are removed, so chunks are both split and merged.
      if (known === undefined || value % 4 === 0) {
        values.set(`k${name}`, value);
        sorted.insert(value, `k${name}`);
      } else values.delete(`k${name}`);
    }
    const plain = [...values].sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : (x - y) * direction));
    expect(sorted.slice(0, Number.POSITIVE_INFINITY).keys).toEqual(plain.map(([name]) => name));
    expect(sorted.size).toBe(plain.length);
    for (const at of [0, 1, 255, 256, 257, plain.length >> 1]) {
      const [name = "", value = 0] = plain[at] ?? [];
      const place: SortPosition = [value, name];
      expect(sorted.slice(at, 3).keys).toEqual(plain.slice(at, at + 3).map(([each]) => each));
      if (at < plain.length) expect(sorted.sliceAfter(place, 1).keys).toEqual(sorted.slice(at + 1, 1).keys);
    }
    expect(sorted.delete(1, "not there")).toBe(false);
  };
  const direction = fc.constantFrom(1 as const, -1 as const);
  fc.assert(fc.property(steps, direction, fc.nat(3000), check), { numRuns: 20 });
});
