import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOCK_SORT_FIELDS } from "../../../lib/contract/lock-sort.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { LockIndex } from "./lock-index.ts";
import { parseSortOrder, type SortOrder } from "./query-context.ts";
import type { SortPosition } from "./sorted-keys.ts";

const NOW = 1_790_000_000_000;
const UNDISTURBED = { wasGone: false, since: "exact", continuityId: "1" } as const;
const BY_KEY = parseSortOrder("key");

interface HoldInput extends Partial<SeenHolder> {
  asOf?: number;
  remainingMs?: number | null;
}

/** Builds the observation of a Redisson hold. The hold is foreign unless `fence` is set. */
function buildHeldObservation(key: string, look: HoldInput = {}): HeldObservation {
  const { asOf = NOW, remainingMs = 30_000, ...holder } = look;
  const owner = holder.owner ?? "5f0c0c1e-0000-4000-8000-000000000001:1";
  const first: SeenHolder = {
    token: owner,
    owner,
    count: 1,
    fence: null,
    sinceMs: null,
    leaseMs: null,
    record: undefined,
    marginMs: 0,
    seq: 0,
    ...holder,
  };
  return {
    state: "held",
    key,
    asOf,
    type: "hash",
    format: "redisson",
    candidates: [],
    kind: "lock",
    confidence: "certain",
    holders: [first],
    remainingMs,
  };
}

const buildFreeObservation = (key: string, asOf = NOW) => ({ state: "free", key, asOf }) as const;

function createLockIndex(...looks: HeldObservation[]): LockIndex {
  const mirror = new LockIndex();
  for (const look of looks) mirror.applyObservation(look, UNDISTURBED);
  return mirror;
}

const listHolds = (mirror: LockIndex, filter: string, order: SortOrder) =>
  mirror.queryPage(filter, order, { offset: 0 }, Number.POSITIVE_INFINITY).holds;
const listKeys = (mirror: LockIndex, filter: string, order: SortOrder) =>
  listHolds(mirror, filter, order).map(({ key }) => key);

function assertDefined<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("expected a value");
  return value;
}

describe("LockIndex sorting", () => {
  const mirror = createLockIndex(
    buildHeldObservation("b", { owner: "zoe", count: 2, remainingMs: 5, fence: "20", sinceMs: NOW - 10 }),
    buildHeldObservation("c", { owner: "adam", count: 3, remainingMs: null, fence: null, sinceMs: NOW - 30 }),
    buildHeldObservation("a", {
      owner: "x",
      count: 1,
      remainingMs: 900,
      fence: "100",
      sinceMs: NOW - 20,
      record: { service: "billing" },
    }),
  );

  it.each([
    ["key", ["a", "b", "c"]],
    ["owner", ["c", "a", "b"]],
    ["count", ["a", "b", "c"]],
    ["remaining", ["b", "a", "c"]],
    ["held", ["b", "a", "c"]],
    ["fence", ["c", "b", "a"]],
  ])("locks are sorted by %s in ascending and descending order", (sort, upwards) => {
    expect(listKeys(mirror, "", parseSortOrder(sort))).toEqual(upwards);
    expect(listKeys(mirror, "", parseSortOrder(`-${sort}`))).toEqual(upwards.toReversed());
  });

  it("every sort field of the API is supported", () => {
    for (const sort of LOCK_SORT_FIELDS) expect(listKeys(mirror, "", parseSortOrder(sort))).toHaveLength(3);
  });

  it("remaining time is compared at one moment, however long ago each lock was read", () => {
    const early = buildHeldObservation("early", { asOf: NOW - 5000, remainingMs: 9000 });
    const late = buildHeldObservation("late", { asOf: NOW, remainingMs: 5000 });
    expect(listKeys(createLockIndex(late, early), "", parseSortOrder("remaining"))).toEqual([
      "early",
      "late",
    ]);
  });

  it("locks with equal values are ordered by key in both directions", () => {
    const same = createLockIndex(
      buildHeldObservation("b"),
      buildHeldObservation("c"),
      buildHeldObservation("a"),
    );
    expect(listKeys(same, "", parseSortOrder("count"))).toEqual(["a", "b", "c"]);
    expect(listKeys(same, "", parseSortOrder("-count"))).toEqual(["a", "b", "c"]);
  });
});

describe("LockIndex cursor paging", () => {
  const small = fc.integer({ min: 1, max: 4 });
  const look = fc.record({
    owner: fc.constantFrom("a", "b", "c"),
    count: small,
    fence: fc.option(small.map(String)),
    sinceMs: fc.option(small),
    remainingMs: fc.option(small),
    record: fc.option(fc.constant({ service: "b" }), { nil: undefined }),
  });
  const looks = fc
    .dictionary(fc.string({ minLength: 1, maxLength: 3 }), look, { maxKeys: 25 })
    .map((byKey) => Object.entries(byKey).map(([key, one]) => buildHeldObservation(key, one)));
  const sort = fc.constantFrom(...LOCK_SORT_FIELDS, ...LOCK_SORT_FIELDS.map((field) => `-${field}`));

  it("cursor paging visits every remaining hold exactly once and in order while holds end between pages", () => {
    const limit = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(looks, sort, limit, fc.array(fc.nat(), { maxLength: 30 }), (all, by, size, picks) => {
        const mirror = createLockIndex(...all);
        const order = parseSortOrder(by);
        const before = listKeys(mirror, "", order);
        const removed = new Set<string>();
        const visited: string[] = [];
        const leaving = picks.values();
        for (let after: SortPosition | undefined, pages = 0; pages <= before.length; pages++) {
          const page = mirror.queryPage("", order, after === undefined ? { offset: 0 } : { after }, size);
          visited.push(...page.holds.map(({ key }) => key));
          after = page.next;
          if (after === undefined) break;
          const pick = leaving.next();
          if (!pick.done) {
            const gone = before[pick.value % before.length] ?? "";
            removed.add(gone);
            mirror.applyObservation(buildFreeObservation(gone), UNDISTURBED);
          }
        }
        expect(visited).toEqual(before.filter((key) => visited.includes(key)));
        expect(new Set(visited).size).toBe(visited.length);
        const missed = before.filter((key) => !visited.includes(key));
        expect(missed.filter((key) => !removed.has(key))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("cursor paging continues after a cursor whose hold is gone", () => {
    const mirror = createLockIndex(buildHeldObservation("a"), buildHeldObservation("c"));
    const behind = (key: string) =>
      mirror.queryPage("", BY_KEY, { after: [key, key] }, 9).holds.map((hold) => hold.key);
    expect([behind("b"), behind("c")]).toEqual([["c"], []]);
  });
});

describe("LockIndex filtering", () => {
  const mirror = createLockIndex(
    buildHeldObservation("lock:orders:1", { owner: "pod-7" }),
    buildHeldObservation("lock:orders:2", { owner: "pod-8", record: { service: "Billing", pid: 4711 } }),
    buildHeldObservation("mutex:1", { owner: "pod-7" }),
  );

  it.each([
    ["", ["lock:orders:1", "lock:orders:2", "mutex:1"]],
    ["key:lock:*", ["lock:orders:1", "lock:orders:2"]],
    ["owner:pod-7", ["lock:orders:1", "mutex:1"]],
    ["key:lock:* owner:pod-7", ["lock:orders:1"]],
    ["billing", ["lock:orders:2"]],
    ["4711", ["lock:orders:2"]],
    ["nowhere", []],
  ])("the filter %j keeps locks with a matching key, owner or owner record", (filter, keys) => {
    expect(listKeys(mirror, filter, BY_KEY)).toEqual(keys);
  });

  it("a filter matches the escaped text of a key that is not UTF-8", () => {
    const binary = "\ud800bG9jazr_"; // lock:\xff
    expect(listKeys(createLockIndex(buildHeldObservation(binary)), "key:lock:?", BY_KEY)).toEqual([binary]);
  });
});

describe("LockIndex query results", () => {
  it("a query result includes changes made since the previous query", () => {
    const mirror = createLockIndex(buildHeldObservation("a"));
    expect(listKeys(mirror, "", BY_KEY)).toEqual(["a"]);
    mirror.applyObservation(buildHeldObservation("b"), UNDISTURBED);
    expect(listKeys(mirror, "", BY_KEY)).toEqual(["a", "b"]);
    mirror.applyObservation(buildHeldObservation("b", { count: 2 }), UNDISTURBED);
    expect(listHolds(mirror, "", BY_KEY)[1]?.seen.holders[0].count).toBe(2);
    mirror.applyObservation(buildFreeObservation("a"), UNDISTURBED);
    expect(listKeys(mirror, "", BY_KEY)).toEqual(["b"]);
  });

  it("query results are cached separately per filter, field and direction", () => {
    const mirror = createLockIndex(
      buildHeldObservation("a", { count: 2 }),
      buildHeldObservation("b", { count: 1 }),
    );
    for (let round = 0; round < 2; round++) {
      expect(listKeys(mirror, "", BY_KEY)).toEqual(["a", "b"]);
      expect(listKeys(mirror, "", parseSortOrder("-key"))).toEqual(["b", "a"]);
      expect(listKeys(mirror, "", parseSortOrder("count"))).toEqual(["b", "a"]);
      expect(listKeys(mirror, "key:b", BY_KEY)).toEqual(["b"]);
      for (let n = 0; n < 40; n++) expect(listKeys(mirror, `nothing-${n}`, BY_KEY)).toEqual([]);
    }
  });

  it("the revision does not change when a read shows that a key outside the index is free", () => {
    const mirror = createLockIndex(buildHeldObservation("a"));
    const before = mirror.revision;
    expect(mirror.applyObservation(buildFreeObservation("b"), UNDISTURBED)).toEqual({
      before: undefined,
      after: undefined,
    });
    expect(mirror.revision).toBe(before);
  });
});

describe("LockIndex at capacity", () => {
  it("a full index leaves out new locks, counts them, and adds them once there is room", () => {
    const mirror = new LockIndex(2);
    for (const key of ["a", "b", "c", "d"]) mirror.applyObservation(buildHeldObservation(key), UNDISTURBED);
    mirror.applyObservation(buildHeldObservation("c", { count: 2 }), UNDISTURBED);
    expect([listKeys(mirror, "", BY_KEY), mirror.leftOut]).toEqual([["a", "b"], 2]);
    expect(mirror.applyObservation(buildHeldObservation("c"), UNDISTURBED)).toMatchObject({
      before: undefined,
      after: { key: "c" },
    });
    mirror.applyObservation(buildFreeObservation("a"), UNDISTURBED);
    mirror.applyObservation(buildFreeObservation("d"), UNDISTURBED);
    mirror.applyObservation(buildHeldObservation("c"), UNDISTURBED);
    expect([listKeys(mirror, "", BY_KEY), mirror.leftOut]).toEqual([["b", "c"], 0]);
  });
});

describe("epochs", () => {
  const again = (mirror: LockIndex, look: HoldInput, wasGone = false) =>
    assertDefined(
      mirror.applyObservation(buildHeldObservation("k", look), { wasGone, since: "exact", continuityId: "1" })
        .after,
    ).holders[0].epoch;

  it("the epoch of a foreign hold stays the same while its count and TTL change", () => {
    const mirror = new LockIndex();
    const first = again(mirror, { count: 1 });
    expect(again(mirror, { count: 3, remainingMs: 10, asOf: NOW + 5 })).toBe(first);
    expect(again(mirror, { count: 1, remainingMs: null, asOf: NOW + 9 })).toBe(first);
  });

  it("the epoch rises when the same foreign owner is seen after the key was gone", () => {
    const mirror = new LockIndex();
    const first = again(mirror, {});
    expect(again(mirror, {}, true)).toBeGreaterThan(first);
  });

  it("the epoch rises when the key was free or held by another owner in between", () => {
    const mirror = new LockIndex();
    const first = again(mirror, {});
    mirror.applyObservation(buildFreeObservation("k"), UNDISTURBED);
    const second = again(mirror, {});
    const third = again(mirror, { owner: "other" });
    expect([first, second, third, again(mirror, {})]).toEqual([first, first + 1, first + 2, first + 3]);
  });

  it("the epoch of a Lockkeeper hold stays the same as long as its fencing token does", () => {
    const mirror = new LockIndex();
    const ours = { owner: "me", fence: "7", sinceMs: NOW, seq: 1 };
    const first = again(mirror, ours);
    expect(again(mirror, { ...ours, count: 2, remainingMs: 90_000, seq: 2 }, true)).toBe(first);
    expect(again(mirror, { ...ours, fence: "8" })).toBeGreaterThan(first);
  });

  it("two keys never share an epoch", () => {
    const mirror = createLockIndex(
      buildHeldObservation("a"),
      buildHeldObservation("b"),
      buildHeldObservation("c"),
    );
    const epochs = listHolds(mirror, "", BY_KEY).map(({ holders: [{ epoch }] }) => epoch);
    expect(new Set(epochs).size).toBe(3);
  });
});

describe("indexed holds", () => {
  const blind = { wasGone: false, since: "at_least", continuityId: "1" } as const;

  it("an indexed hold keeps its first-seen time and its longest observed TTL", () => {
    const mirror = createLockIndex(buildHeldObservation("k", { remainingMs: 20_000 }));
    mirror.applyObservation(buildHeldObservation("k", { remainingMs: 30_000, asOf: NOW + 100 }), UNDISTURBED);
    mirror.applyObservation(
      buildHeldObservation("k", { remainingMs: 29_000, asOf: NOW + 1100 }),
      UNDISTURBED,
    );
    expect(mirror.get("k")).toMatchObject({
      longestMs: 30_000,
      holders: [{ firstSeenMs: NOW, since: "exact" }],
    });
    expect(mirror.get("k")?.seen.remainingMs).toBe(29_000);
  });

  it("an indexed hold without a TTL has no longest observed TTL", () => {
    const mirror = createLockIndex(buildHeldObservation("k", { remainingMs: null }));
    mirror.applyObservation(buildHeldObservation("k", { remainingMs: null, asOf: NOW + 1 }), UNDISTURBED);
    expect(mirror.get("k")?.longestMs).toBeNull();
  });

  it("an indexed hold has an at_least start time when observation was interrupted", () => {
    const mirror = new LockIndex();
    mirror.applyObservation(buildHeldObservation("k"), blind);
    expect(mirror.get("k")?.holders[0].since).toBe("at_least");
    mirror.applyObservation(buildHeldObservation("k", { owner: "other" }), blind);
    expect(mirror.get("k")?.holders[0].since).toBe("at_least");
  });

  it("an indexed hold has an exact start time when observed continuously or after the key was gone", () => {
    const mirror = new LockIndex();
    mirror.applyObservation(buildHeldObservation("k"), UNDISTURBED);
    expect(mirror.get("k")?.holders[0].since).toBe("exact");
    mirror.applyObservation(buildHeldObservation("k"), {
      wasGone: true,
      since: "at_least",
      continuityId: "1",
    });
    expect(mirror.get("k")?.holders[0].since).toBe("exact");
  });

  it("an index update returns the hold before and after it", () => {
    const mirror = new LockIndex();
    const first = mirror.applyObservation(buildHeldObservation("k"), UNDISTURBED);
    const second = mirror.applyObservation(buildHeldObservation("k", { owner: "other" }), UNDISTURBED);
    expect(first.before).toBeUndefined();
    expect(second.before).toBe(first.after);
    expect(mirror.applyObservation(buildFreeObservation("k"), UNDISTURBED)).toEqual({
      before: second.after,
      after: undefined,
    });
    expect(mirror.size).toBe(0);
  });

  it("a hold leaves the index when its key holds something else", () => {
    const mirror = createLockIndex(buildHeldObservation("k"));
    mirror.applyObservation({ state: "not_a_lock", key: "k", asOf: NOW, type: "string" }, UNDISTURBED);
    expect([...mirror.keys()]).toEqual([]);
  });
});

describe("keys with the same token", () => {
  const build = (key: string, chosen: object): HeldObservation => ({
    ...buildHeldObservation(key, { owner: "worker-7-of-a-deployment" }),
    ...{ type: "string", format: "bsm-redislock", ...chosen },
  });

  it.each([
    ["a random token", {}, ["lock:b"]],
    // Independent locks can have the same token, which must not be released together.
    ["a token that the application chose", { isChosen: true }, []],
  ])("%s", (_, chosen, others) => {
    const index = createLockIndex(build("lock:a", chosen), build("lock:b", chosen));
    const hold = index.get("lock:a");
    expect(hold && index.findKeysSharingToken(hold, 10)).toEqual(others);
  });
});
