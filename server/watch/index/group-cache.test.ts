import fc from "fast-check";
import { expect, it } from "vitest";
import { OWNER_SORTS, OWNERS_BY } from "../../../lib/contract/owner.ts";
import { type HeldObservation, strangerOf } from "../../formats/observation.ts";
import { KeyRange } from "../../redis/glob.ts";
import { isAbnormal, NEVER } from "../holds/abnormal.ts";
import type { Hold } from "../holds/observed-hold.ts";
import { Grouping, type GroupsAsked } from "./group-cache.ts";
import { Mirror } from "./lock-index.ts";
import { orderOf } from "./query-cache.ts";

const NOW = 1_790_000_000_000;
const RECORDS = [undefined, { service: "pay" }, { service: "pay", host: "pod-1" }, { host: "pod-2" }];

interface Look {
  readonly key: string;
  readonly owners: readonly string[];
  readonly record: number;
  readonly asOf: number;
  readonly remainingMs: number | null;
  readonly waiting: number | null;
  readonly gone: boolean;
}

const LOOKS = fc.array(
  fc.record<Look>({
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

function take(mirror: Mirror, { key, owners, record, asOf, remainingMs, waiting, gone }: Look): void {
  const [first, ...others] = owners.map((owner) => strangerOf(owner, { record: RECORDS[record] }));
  const circumstances = { wasGone: gone, since: "exact" as const, sight: "1" };
  if (first === undefined) {
    mirror.observe(
      { state: "free", key, asOf: NOW + asOf, waiters: { count: 0, known: "exact" } },
      circumstances,
    );
    return;
  }
  const known = waiting === null ? "unknowable" : waiting === 1 ? "estimated" : "exact";
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
  mirror.observe(seen, circumstances);
}

const BY = [...OWNERS_BY, { prefix: "", depth: 2 }, { prefix: "lock:a", depth: 1 }];
const ASKED: readonly GroupsAsked[] = BY.flatMap((by) =>
  OWNER_SORTS.map((field, at) => ({
    ...{ by, filter: at % 2 === 0 ? "" : 'owner:="w1"', order: { field, direction: at % 3 === 0 ? 1 : -1 } },
    within: at % 4 === 3 ? new KeyRange(["lock:[a-c]"]) : undefined,
  })),
);

function told(grouping: Grouping) {
  const groups = grouping.sorted.slice(0, 100).keys.map((name) => {
    const group = grouping.get(name);
    return [name, group?.holds, group?.abnormal, group?.verdicts, group?.oldest, group?.waiters];
  });
  return { groups, without: grouping.without, total: grouping.sorted.size };
}

const asked = async (mirror: Mirror, what: GroupsAsked): Promise<Grouping> => {
  const grouping = await mirror.groups.ask(what);
  if (grouping === undefined) throw new Error("too many are being made");
  return grouping;
};

const holdsOf = (mirror: Mirror): Hold[] => [...mirror.keys()].flatMap((key) => mirror.get(key) ?? []);

it("incrementally updated groups equal the groups of a full walk over all locks", async () => {
  await fc.assert(
    fc.asyncProperty(LOOKS, LOOKS, fc.constantFrom(...ASKED), async (first, then, what) => {
      let now = NOW;
      const usual = (key: string) => (key.endsWith("a") ? 10 : undefined);
      const mirror = new Mirror(undefined, { now: () => now, usual });
      const has = (key: string) => {
        const hold = mirror.get(key);
        return hold !== undefined && isAbnormal(hold, now, usual(key) ?? NEVER);
      };
      const kept = async () => told(await asked(mirror, what));
      const walked = async () => {
        const grouping = new Grouping(what);
        await grouping.fill(holdsOf(mirror), [...mirror.keys()].filter(has));
        return told(grouping);
      };
      for (const look of first) take(mirror, look);
      expect(await kept()).toEqual(await walked());
      for (const look of then) {
        now += look.asOf;
        take(mirror, look);
        expect(await kept()).toEqual(await walked());
        const found = mirror.page("is:abnormal", orderOf("key"), { offset: 0 }, 0).total;
        expect([...mirror.abnormal.values()].reduce((sum, count) => sum + count, 0)).toBe(found);
      }
    }),
    { numRuns: 300 },
  );
});

it("the number of cached group lists stays bounded, with one per tree branch", async () => {
  const mirror = new Mirror();
  for (let n = 0; n < 1001; n++) {
    const owners = [`w${n}`];
    take(mirror, { key: `lock:${n}`, owners, record: 0, asOf: 0, remainingMs: 1, waiting: 1, gone: false });
  }
  const kept = async (filter: string, by: GroupsAsked["by"]) => {
    await mirror.groups.ask({ by, filter, order: { field: "name", direction: 1 } });
    return mirror.groups.size;
  };
  for (let n = 0; n < 5; n++) await kept("lock".slice(0, n), "owner");
  expect(await kept("lock:", "owner")).toBe(4);
  for (let n = 0; n < 40; n++) await kept("", { prefix: "lock:".slice(n), depth: n + 1 });
  expect(await kept("", "host")).toBe(36);
});

it("concurrent group queries are computed in turn, those over the limit are rejected, and all see later changes", async () => {
  const mirror = new Mirror();
  const at = { owners: ["w1"], record: 0, asOf: 0, remainingMs: 1000, waiting: 0, gone: false };
  take(mirror, { ...at, key: "lock:1" });
  const order = { field: "name", direction: 1 } as const;
  const answers = Array.from({ length: 40 }, (_, n) =>
    mirror.groups.ask({ by: "owner", filter: `key:lock:${n}`, order }),
  );
  take(mirror, { ...at, key: "lock:2" });
  const made = await Promise.all(answers);
  expect(made.filter((grouping) => grouping === undefined)).toHaveLength(24);
  expect(made.slice(0, 3).map((grouping) => grouping?.size)).toEqual([0, 1, 1]);
  expect((await mirror.groups.ask({ by: "owner", filter: "key:lock:39", order }))?.size).toBe(0);
});

it("keys are grouped under the namespace given by their segments, if they have that many", async () => {
  const mirror = new Mirror();
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
    take(mirror, { key, owners: ["w1"], record: 0, asOf: 0, remainingMs: 1000, waiting: 1, gone: false });
  const namesAt = async (prefix: string, depth: number, within?: KeyRange) => {
    const order = { field: "name", direction: 1 } as const;
    const grouping = await asked(mirror, { by: { prefix, depth }, filter: "", order, within });
    const { keys } = grouping.sorted.slice(0, 100);
    return [
      keys.map((name) => `${name} ${grouping.get(name)?.holds} ${grouping.get(name)?.deeper}`),
      grouping.without,
    ];
  };
  expect(await namesAt("", 1)).toEqual([[": 1 0", "lock: 5 4", "locker: 1 0"], 2]);
  expect(await namesAt("", 2)).toEqual([["lock:b: 3 2", "lock:c: 1 0"], 5]);
  expect(await namesAt("lock:", 1)).toEqual([["lock:b: 3 2", "lock:c: 1 0"], 1]);
  expect(await namesAt("lock:b:", 1)).toEqual([["lock:b:2: 1 0", "lock:b:: 1 0"], 1]);
  expect(await namesAt("lock:", 1, new KeyRange(["lock:c:*"]))).toEqual([["lock:c: 1 0"], 0]);
});

it("changes made while a group list is being built are included in it", async () => {
  const mirror = new Mirror();
  const at = { owners: ["w1"], record: 0, remainingMs: 1000, waiting: 0, gone: false };
  for (let n = 0; n < 30_000; n++) take(mirror, { ...at, key: `lock:${n % 3}:${n}`, asOf: 0 });
  let isMade = false;
  const by = { prefix: "lock:", depth: 1 };
  const making = asked(mirror, { by, filter: "", order: { field: "name", direction: 1 } });
  const made = making.then(() => {
    isMade = true;
  });
  let turns = 0;
  for (; !isMade; turns++) {
    take(mirror, { ...at, key: `lock:0:${turns * 3}`, owners: [], asOf: 1 });
    take(mirror, { ...at, key: `lock:3:${turns}`, asOf: 1 });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await made;
  const grouping = await making;
  const counts = ["0", "1", "3"].map((name) => grouping.get(`lock:${name}:`)?.holds);
  expect([counts, turns > 1]).toEqual([[10_000 - turns, 10_000, turns], true]);
});
