import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { OWNER_GROUPINGS, OWNER_SORT_FIELDS } from "../../../lib/contract/owner.ts";
import { createForeignHolder, type HeldObservation } from "../../formats/observation.ts";
import { KeyPatternSet } from "../../redis/glob.ts";
import { NEVER, needsAttention } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { type GroupQuery, HoldGrouping } from "./group-cache.ts";
import { LockIndex } from "./lock-index.ts";
import { parseSortOrder } from "./query-context.ts";

const NOW = 1_790_000_000_000;
const RECORDS = [
  undefined,
  { service: "pay" },
  { service: "pay", host: "pod-1" },
  { host: "pod-2", session: "w 1" },
];

interface HoldInput {
  readonly key: string;
  readonly owners: readonly string[];
  readonly record: number;
  readonly asOf: number;
  readonly remainingMs: number | null;
  readonly waiting: number | null;
  readonly gone: boolean;
}

const HOLD_INPUTS = fc.array(
  fc.record<HoldInput>({
    key: fc.constantFrom("a", "b", "c", "d:1", "d:2", "a:1").map((name) => `lock:${name}`),
    owners: fc.uniqueArray(fc.constantFrom("w1", "w2", "w3", "__proto__"), { maxLength: 3 }),
    record: fc.nat(RECORDS.length - 1),
    asOf: fc.nat(40),
    remainingMs: fc.constantFrom(null, 0, 1000, 5000),
    waiting: fc.constantFrom(null, 0, 1, 2),
    gone: fc.boolean(),
  }),
  { maxLength: 40 },
);

function applyInput(
  mirror: LockIndex,
  { key, owners, record, asOf, remainingMs, waiting, gone }: HoldInput,
): void {
  const [first, ...others] = owners.map((owner) => createForeignHolder(owner, { record: RECORDS[record] }));
  const circumstances = { wasGone: gone, since: "exact" as const, continuityId: "1" };
  if (first === undefined) {
    mirror.applyObservation(
      { state: "free", key, asOf: NOW + asOf, waiters: { count: 0, known: "exact" } },
      circumstances,
    );
    return;
  }
  const known = waiting === null ? "unknown" : waiting === 1 ? "estimated" : "exact";
  const seen: HeldObservation = {
    ...{
      state: "held",
      key,
      asOf: NOW + asOf,
      type: "hash",
      format: "redisson",
      candidates: [],
      kind: "lock",
    },
    ...{ confidence: "certain", remainingMs, waiters: { count: waiting, known } },
    holders: [first, ...others],
  };
  mirror.applyObservation(seen, circumstances);
}

const BY = [...OWNER_GROUPINGS, { prefix: "", depth: 2 }, { prefix: "lock:a", depth: 1 }];
const QUERIES: readonly GroupQuery[] = BY.flatMap((by) =>
  OWNER_SORT_FIELDS.map((field, at) => ({
    ...{ by, filter: at % 2 === 0 ? "" : 'owner:="w1"', order: { field, direction: at % 3 === 0 ? 1 : -1 } },
    within: at % 4 === 3 ? new KeyPatternSet(["lock:[a-c]"]) : undefined,
  })),
);

function describeGrouping(grouping: HoldGrouping) {
  const groups = grouping.sorted.slice(0, 100).keys.map((name) => {
    const group = grouping.get(name);
    return [name, group?.holds, group?.needsAttention, group?.liveness, group?.oldest, group?.waiters];
  });
  return { groups, without: grouping.unnamedCount, total: grouping.sorted.size };
}

const queryGrouping = async (mirror: LockIndex, what: GroupQuery): Promise<HoldGrouping> => {
  const grouping = await mirror.groups.query(what);
  if (grouping === undefined) throw new Error("too many are being made");
  return grouping;
};

const listHolds = (mirror: LockIndex): ObservedHold[] =>
  [...mirror.keys()].flatMap((key) => mirror.get(key) ?? []);

it("incrementally updated groups equal the groups of a full walk over all locks", async () => {
  await fc.assert(
    fc.asyncProperty(HOLD_INPUTS, HOLD_INPUTS, fc.constantFrom(...QUERIES), async (first, then, what) => {
      let now = NOW;
      const typical = (key: string) => (key.endsWith("a") ? 10 : undefined);
      const mirror = new LockIndex(undefined, { now: () => now, getTypicalHeldMs: typical });
      const has = (key: string) => {
        const hold = mirror.get(key);
        return hold !== undefined && needsAttention(hold, now, typical(key) ?? NEVER);
      };
      const kept = async () => describeGrouping(await queryGrouping(mirror, what));
      const walked = async () => {
        const grouping = new HoldGrouping(what);
        await grouping.fill(listHolds(mirror), [...mirror.keys()].filter(has));
        return describeGrouping(grouping);
      };
      for (const look of first) applyInput(mirror, look);
      expect(await kept()).toEqual(await walked());
      for (const look of then) {
        now += look.asOf;
        applyInput(mirror, look);
        expect(await kept()).toEqual(await walked());
        const found = mirror.queryPage("is:needs_attention", parseSortOrder("key"), { offset: 0 }, 0).total;
        expect([...mirror.attentionCounts.values()].reduce((sum, count) => sum + count, 0)).toBe(found);
      }
    }),
    { numRuns: 300 },
  );
});

it("the number of cached group lists stays bounded, with one per tree branch", async () => {
  const mirror = new LockIndex();
  for (let n = 0; n < 1001; n++) {
    const owners = [`w${n}`];
    applyInput(mirror, {
      key: `lock:${n}`,
      owners,
      record: 0,
      asOf: 0,
      remainingMs: 1,
      waiting: 1,
      gone: false,
    });
  }
  const kept = async (filter: string, by: GroupQuery["by"]) => {
    await mirror.groups.query({ by, filter, order: { field: "name", direction: 1 } });
    return mirror.groups.size;
  };
  for (let n = 0; n < 5; n++) await kept("lock".slice(0, n), "owner");
  expect(await kept("lock:", "owner")).toBe(4);
  for (let n = 0; n < 40; n++) await kept("", { prefix: "lock:".slice(n), depth: n + 1 });
  expect(await kept("", "host")).toBe(36);
});

it("concurrent group queries are computed in turn, those over the limit are rejected, and all see later changes", async () => {
  const mirror = new LockIndex();
  const at = { owners: ["w1"], record: 0, asOf: 0, remainingMs: 1000, waiting: 0, gone: false };
  applyInput(mirror, { ...at, key: "lock:1" });
  const order = { field: "name", direction: 1 } as const;
  const answers = Array.from({ length: 40 }, (_, n) =>
    mirror.groups.query({ by: "owner", filter: `key:lock:${n}`, order }),
  );
  applyInput(mirror, { ...at, key: "lock:2" });
  const made = await Promise.all(answers);
  expect(made.filter((grouping) => grouping === undefined)).toHaveLength(24);
  expect(made.slice(0, 3).map((grouping) => grouping?.size)).toEqual([0, 1, 1]);
  expect((await mirror.groups.query({ by: "owner", filter: "key:lock:39", order }))?.size).toBe(0);
});

it("keys are grouped under the namespace given by their segments, if they have that many", async () => {
  const mirror = new LockIndex();
  for (const key of [
    "a",
    "lock:a",
    "lock:b:1",
    "lock:b:2:x",
    "lock:b::",
    "lock:c:1",
    "locker:1",
    "\ud800_w",
    ":x",
  ])
    applyInput(mirror, {
      key,
      owners: ["w1"],
      record: 0,
      asOf: 0,
      remainingMs: 1000,
      waiting: 1,
      gone: false,
    });
  const namesAt = async (prefix: string, depth: number, within?: KeyPatternSet) => {
    const order = { field: "name", direction: 1 } as const;
    const grouping = await queryGrouping(mirror, {
      by: { prefix, depth },
      filter: "",
      order,
      allowedKeys: within,
    });
    const { keys } = grouping.sorted.slice(0, 100);
    return [
      keys.map((name) => `${name} ${grouping.get(name)?.holds} ${grouping.get(name)?.childCount}`),
      grouping.unnamedCount,
    ];
  };
  expect(await namesAt("", 1)).toEqual([[": 1 0", "lock: 5 4", "locker: 1 0"], 2]);
  expect(await namesAt("", 2)).toEqual([["lock:b: 3 2", "lock:c: 1 0"], 5]);
  expect(await namesAt("lock:", 1)).toEqual([["lock:b: 3 2", "lock:c: 1 0"], 1]);
  expect(await namesAt("lock:b:", 1)).toEqual([["lock:b:2: 1 0", "lock:b:: 1 0"], 1]);
  expect(await namesAt("lock:", 1, new KeyPatternSet(["lock:c:*"]))).toEqual([["lock:c: 1 0"], 0]);
});

it("changes made while a group list is being built are included in it", async () => {
  const mirror = new LockIndex();
  const at = { owners: ["w1"], record: 0, remainingMs: 1000, waiting: 0, gone: false };
  for (let n = 0; n < 30_000; n++) applyInput(mirror, { ...at, key: `lock:${n % 3}:${n}`, asOf: 0 });
  // The clock advances by a millisecond per call. The build therefore yields often, regardless of the machine's speed.
  let clockMs = 0;
  using _ = vi.spyOn(performance, "now").mockImplementation(() => clockMs++);
  let isMade = false;
  const by = { prefix: "lock:", depth: 1 };
  const making = queryGrouping(mirror, { by, filter: "", order: { field: "name", direction: 1 } });
  const made = making.then(() => {
    isMade = true;
  });
  let turns = 0;
  for (; !isMade; turns++) {
    applyInput(mirror, { ...at, key: `lock:0:${turns * 3}`, owners: [], asOf: 1 });
    applyInput(mirror, { ...at, key: `lock:3:${turns}`, asOf: 1 });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await made;
  const grouping = await making;
  const counts = ["0", "1", "3"].map((name) => grouping.get(`lock:${name}:`)?.holds);
  expect([counts, turns > 1]).toEqual([[10_000 - turns, 10_000, turns], true]);
});
