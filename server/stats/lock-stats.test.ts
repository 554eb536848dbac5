import { beforeEach, describe, expect, it } from "vitest";
import type { LockEvent } from "../../lib/contract/event.ts";
import { StatsQuery } from "../../lib/contract/stats.ts";
import { createForeignHolder, type HeldObservation, type Observation } from "../formats/observation.ts";
import { LockIndex } from "../watch/index/lock-index.ts";
import { LockStats } from "./lock-stats.ts";
import { OTHER_PATTERN, PatternRegistry } from "./pattern-registry.ts";
import { toVerbCall } from "./verb-call.ts";

const START = Math.floor(1_795_216_496_123 / 300_000) * 300_000;
const SECOND = 1000;

let now: number;
let index: LockIndex;
let lockStats: LockStats;

beforeEach(() => {
  now = START;
  index = new LockIndex(undefined, {
    now: () => now,
    getTypicalHeldMs: (key) => lockStats.getTypicalHeldMs(key),
  });
  lockStats = new LockStats({
    target: "main",
    now: () => now,
    findHold: (key) => index.get(key),
    countNeedingAttention: () => index.attentionCounts,
  });
});

function applyObservation(observation: Observation, since: "exact" | "at_least" = "exact"): void {
  const { key } = observation;
  const { before, after } = index.applyObservation(observation, { wasGone: false, since, continuityId: "1" });
  lockStats.onHoldChange(key, before, after, index.findWaiters(key)?.count ?? 0);
}

function buildHeldObservation(key: string, more: Partial<HeldObservation> = {}): HeldObservation {
  return {
    ...({ state: "held", key, type: "hash", kind: "lock", confidence: "certain" } as const),
    ...({ format: "redisson", candidates: [], remainingMs: 30_000, asOf: now } as const),
    holders: [createForeignHolder("uuid:1")],
    ...more,
  };
}

const buildFreeObservation = (key: string, waiting = 0): Observation => ({
  ...({ state: "free", key, asOf: now } as const),
  waiters: { count: waiting, known: "exact" },
});

function emitEvent(type: LockEvent["type"], key: string, more: Partial<LockEvent> = {}): void {
  lockStats.onEvent({
    id: "1",
    type,
    target: "main",
    key,
    at: now,
    owner: "uuid:1",
    observed: "exact",
    ...more,
  });
}

const queryStats = (query: Partial<StatsQuery> = {}) => lockStats.queryStats(StatsQuery.parse(query));
const findPattern = (pattern: string) => queryStats().patterns.items.find((each) => each.pattern === pattern);

describe("statistics of a key pattern", () => {
  it("the typical held time is the p95 after 20 samples and is recomputed every few seconds", () => {
    const release = (times: number, heldMs: number) => {
      for (let n = 0; n < times; n++) emitEvent("released", `lock:order:${n}`, { heldMs });
    };
    const later = () => {
      for (let second = 0; second < 5; second++) lockStats.tick();
      return lockStats.getTypicalHeldMs("lock:order:4711");
    };
    release(19, 1000);
    expect(lockStats.getTypicalHeldMs("lock:order:4711")).toBeUndefined();
    release(1, 1000);
    expect(lockStats.getTypicalHeldMs("lock:order:4711")).toBeCloseTo(1000, -2);
    release(20, 9000);
    expect(lockStats.getTypicalHeldMs("lock:order:4711")).toBeCloseTo(1000, -2);
    expect(later()).toBeGreaterThan(8500);
    expect(lockStats.getTypicalHeldMs("lock:payment:1")).toBeUndefined();
  });

  it("the typical held and waited times of a pattern are computed from its locks", () => {
    for (let order = 1; order <= 100; order++) {
      emitEvent("acquired", `lock:order:${order}`);
      emitEvent("waiting", `lock:order:${order}`, { owner: "b" });
      now += order <= 90 ? 1000 : 5000;
      emitEvent("released", `lock:order:${order}`, { heldMs: order <= 90 ? 1000 : 5000 });
      emitEvent("acquired", `lock:order:${order}`, { owner: "b" });
    }
    const typical = lockStats.getTypical("lock:order:4711");
    expect(typical.pattern).toBe("lock:order:*");
    expect(typical.heldMs?.p50).toBeGreaterThan(955);
    expect(typical.heldMs?.p50).toBeLessThan(1045);
    expect(typical.heldMs?.p95).toBeGreaterThan(4775);
    expect(typical.waitedMs?.p95).toBeGreaterThan(4775);
    expect(findPattern("lock:order:*")).toMatchObject({ acquisitions: 200, waits: 100, givenUp: 0 });
    expect(lockStats.getTypical("lock:never").heldMs).toBeNull();
  });

  it("refusals, timeouts, force-releases and evictions are counted, but reservations are not", () => {
    lockStats.onVerbCall(toVerbCall("acquire", "main", "lock:a", {}), "held");
    emitEvent("waiting", "lock:a", { owner: "o" });
    emitEvent("wait_ended", "lock:a", { owner: "o" });
    emitEvent("force_released", "lock:a");
    emitEvent("evicted", "lock:a");
    emitEvent("acquired", "lock:a", { owner: "lockkeeper:reserve:ana" });
    emitEvent("expired", "lock:a", { owner: "lockkeeper:reserve:ana", heldMs: 60_000 });
    expect(findPattern("lock:a")).toMatchObject({
      ...{ refusals: 1, waits: 1, givenUp: 1, forceReleases: 1, evictions: 1 },
      ...{ acquisitions: 0, expired: 0, heldMs: null },
    });
  });

  it("a hold that expired in use is distinguished from an abandoned one", () => {
    const buildOwn = (key: string) =>
      buildHeldObservation(key, { holders: [createForeignHolder("uuid:1", { fence: "7" })] });
    for (const key of ["lock:renewed", "lock:left", "lock:late"]) applyObservation(buildOwn(key));
    now += 10_000;
    applyObservation(buildOwn("lock:renewed"));
    now += 60_000;
    for (const key of ["lock:renewed", "lock:left", "lock:late"]) {
      applyObservation(buildFreeObservation(key));
      emitEvent("expired", key, { fence: "7", heldMs: 30_000, observed: "inferred" });
    }
    expect(findPattern("lock:renewed")).toMatchObject({ expired: 1, expiredInUse: 1 });
    expect(findPattern("lock:left")).toMatchObject({ expired: 1, expiredInUse: 0 });
    lockStats.onVerbCall(toVerbCall("release", "main", "lock:late", { fence: "6" }), "not_held");
    expect(findPattern("lock:late")).toMatchObject({ expired: 1, expiredInUse: 0 });
    const release = toVerbCall("release", "main", "lock:late", { fence: "7" });
    lockStats.onVerbCall(release, "not_held");
    lockStats.onVerbCall(release, "not_held");
    expect(findPattern("lock:late")).toMatchObject({ expired: 1, expiredInUse: 1 });
    expect(lockStats.expiredInUse).toBe(2);
    expect(queryStats().top.expiredInUse.map(({ pattern }) => pattern)).toEqual([
      "lock:late",
      "lock:renewed",
    ]);
  });

  it("a hold that was renewed does not make the next hold of its label one that expired in use", () => {
    const buildOwn = (fence: string) =>
      buildHeldObservation("lock:a", {
        holders: [createForeignHolder(`uuid:${fence}`, { owner: "me", fence })],
      });
    const expire = (fence: string) =>
      emitEvent("expired", "lock:a", { owner: "me", fence, heldMs: 30_000, observed: "inferred" });
    applyObservation(buildOwn("7"));
    now += 10_000;
    applyObservation(buildOwn("7"));
    applyObservation(buildOwn("8"));
    now += 1000;
    applyObservation(buildFreeObservation("lock:a"));
    expire("8");
    expect(findPattern("lock:a")).toMatchObject({ expired: 1, expiredInUse: 0 });
    expire("7");
    expect(findPattern("lock:a")).toMatchObject({ expired: 2, expiredInUse: 1 });
  });

  it("clients that wait under one label are measured one after the other", () => {
    emitEvent("waiting", "lock:a", { owner: "worker" });
    now += 1000;
    emitEvent("waiting", "lock:a", { owner: "worker" });
    now += 2000;
    emitEvent("acquired", "lock:a", { owner: "worker", fence: "7" });
    emitEvent("released", "lock:a", { owner: "worker", fence: "7", heldMs: 0 });
    emitEvent("acquired", "lock:a", { owner: "worker", fence: "8" });
    const { waitedMs } = lockStats.getTypical("lock:a");
    expect(waitedMs?.samples).toBe(2);
    expect(waitedMs?.p95).toBeGreaterThan(2850);
  });

  it("the held time of a hold that existed before the first read is excluded", () => {
    applyObservation(buildHeldObservation("lock:old"), "at_least");
    now += 500;
    applyObservation(buildFreeObservation("lock:old"));
    emitEvent("released", "lock:old", { heldMs: 500, observed: "inferred" });
    applyObservation(buildHeldObservation("lock:new"));
    now += 500;
    applyObservation(buildFreeObservation("lock:new"));
    emitEvent("released", "lock:new", { heldMs: 500, observed: "inferred" });
    expect(lockStats.getTypical("lock:old").heldMs).toBeNull();
    expect(lockStats.getTypical("lock:new").heldMs?.samples).toBe(1);
  });

  it("failed renewals are counted, and events with implausible times are tolerated", () => {
    const renew = toVerbCall("renew", "main", "lock:a", { fence: "7" });
    for (const outcome of ["lost", "unknown_outcome", "renewed"]) lockStats.onVerbCall(renew, outcome);
    emitEvent("acquired", "lock:a", { at: 9e14 });
    emitEvent("acquired", "lock:a", { at: 1 });
    emitEvent("acquired", "lock:a");
    expect(findPattern("lock:a")).toMatchObject({ renewalsFailed: 2, acquisitions: 2 });
  });

  it("statistics are restored from the last day of history without adding points to the series", () => {
    const past = (type: LockEvent["type"], hoursAgo: number, more: Partial<LockEvent> = {}): LockEvent => ({
      ...{
        id: "1",
        type,
        target: "main",
        key: "lock:a",
        at: START - hoursAgo * 3600 * SECOND,
        owner: "uuid:1",
      },
      ...{ observed: "inferred", ...more },
    });
    lockStats.addPastEvents([
      past("acquired", 30),
      past("released", 29, { heldMs: 1 }),
      past("seen", 3),
      past("released", 2, { heldMs: 50 }),
      past("acquired", 1),
      past("expired", 0.5, { heldMs: 9000 }),
    ]);
    expect(findPattern("lock:a")).toMatchObject({ acquisitions: 1, expired: 1 });
    const typical = lockStats.getTypical("lock:a");
    expect(typical.heldMs?.p50).toBeGreaterThan(8500);
    expect(typical).toMatchObject({ since: START - 24 * 3600 * SECOND, waitsSince: START });
    now += 10 * SECOND;
    lockStats.tick();
    expect(queryStats().series.points).toMatchObject([{ acquisitionsPerS: 0, expired: 0 }]);
  });

  it("patterns can be paged, filtered and sorted", () => {
    for (const name of ["a", "b", "c"]) emitEvent("acquired", `lock:${name}`);
    emitEvent("acquired", "lock:b");
    emitEvent("waiting", "mutex:x");
    const names = (query: Partial<StatsQuery>) =>
      queryStats(query).patterns.items.map(({ pattern }) => pattern);
    expect(names({})).toEqual(["mutex:x", "lock:a", "lock:b", "lock:c"]);
    expect(names({ sort: "acquisitions", filter: "lock" })).toEqual(["lock:b", "lock:a", "lock:c"]);
    expect(names({ filter: "LOCK:?", offset: 1, limit: 1 })).toEqual(["lock:b"]);
    expect(queryStats({ filter: "lock", limit: 0 }).patterns).toEqual({ items: [], total: 3 });
  });
});

describe("key patterns", () => {
  it("the number of patterns is limited, and idle ones are replaced", () => {
    const patterns = new PatternRegistry(3);
    const nameAt = (pattern: string, at: number) => patterns.getOrCreate(pattern, at).pattern;
    expect(["a", "b", "c", "d"].map((each) => nameAt(each, START))).toEqual([
      ...["a", "b", OTHER_PATTERN, OTHER_PATTERN],
    ]);
    patterns.getOrCreate("b", START).count("waits", START + 3_000_000);
    expect(nameAt("e", START + 3_700_000)).toBe("e");
    expect(nameAt("b", START + 3_700_000)).toBe("b");
    expect(nameAt("a", START + 3_700_000)).toBe(OTHER_PATTERN);
    expect(patterns.size).toBe(3);
  });
});

describe("totals and series", () => {
  it("a latch is not counted as held, also if a semaphore turns out to be one", () => {
    applyObservation(
      buildHeldObservation("lock:jobs", { type: "string", kind: "semaphore", remainingMs: null }),
    );
    expect(queryStats().totals).toMatchObject({ held: 1 });
    applyObservation(buildHeldObservation("lock:jobs", { type: "string", kind: "latch", remainingMs: null }));
    expect(queryStats().totals).toMatchObject({ held: 0, needsAttention: 0 });
    applyObservation(buildFreeObservation("lock:jobs"));
    expect(queryStats().totals).toMatchObject({ held: 0, needsAttention: 0 });
  });

  it("totals are updated incrementally with the index", () => {
    applyObservation(buildHeldObservation("lock:a", { waiters: { count: 2, known: "exact" } }));
    applyObservation(buildHeldObservation("lock:b", { format: "token", remainingMs: null }));
    applyObservation(buildHeldObservation("lock:c", { state: "ended" }));
    applyObservation(buildFreeObservation("lock:d", 3));
    expect(queryStats().totals).toMatchObject({ held: 2, ended: 1, waiting: 5, needsAttention: 1 });
    expect(queryStats().totals.byFormat).toEqual([
      { format: "redisson", held: 1, needsAttention: 0 },
      { format: "token", held: 1, needsAttention: 1 },
    ]);
    applyObservation(buildHeldObservation("lock:d"));
    applyObservation(buildFreeObservation("lock:a"));
    applyObservation(buildFreeObservation("lock:b"));
    expect(queryStats().totals).toMatchObject({ held: 1, ended: 1, waiting: 0, needsAttention: 0 });
  });

  it("locks that come to need attention over time are counted as the filter finds them", () => {
    applyObservation(buildHeldObservation("lock:a"));
    applyObservation(buildHeldObservation("lock:b", { remainingMs: null, format: "token" }));
    for (let n = 0; n < 20; n++) emitEvent("released", `lock:a`, { heldMs: 1000 });
    const counts = () => {
      lockStats.tick();
      const { needsAttention, byFormat } = queryStats().totals;
      return [needsAttention, ...byFormat.map((each) => each.needsAttention)];
    };
    expect(counts()).toEqual([1, 0, 1]);
    for (let second = 0; second < 31; second++) {
      now += SECOND;
      counts();
    }
    expect(counts()).toEqual([2, 1, 1]);
    applyObservation(buildFreeObservation("lock:a"));
    expect(counts()).toEqual([1, 1]);
  });

  it("a series has one point per 10 s of the last hour and one per 5 min of the last day", () => {
    applyObservation(buildHeldObservation("lock:a"));
    for (let second = 1; second <= 25 * 3600; second++) {
      now = START + second * SECOND;
      emitEvent("acquired", "lock:a", { owner: String(second) });
      lockStats.tick();
    }
    const { series } = queryStats();
    expect(series.stepMs).toBe(10_000);
    expect(series.points).toHaveLength(360);
    expect(series.points.at(-1)).toEqual({
      ...{
        at: now,
        held: 1,
        waiting: 0,
        needsAttention: 0,
        acquisitionsPerS: 1,
        expired: 0,
        waitedMsP95: null,
      },
    });
    const day = queryStats({ range: "day" }).series;
    expect(day.points).toHaveLength(288);
    expect(day.points.at(-1)).toMatchObject({ at: now, acquisitionsPerS: 1 });
  });
});
