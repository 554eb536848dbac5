import { expect, it } from "vitest";
import type { TaskOwner } from "../../concurrency/task-owner.ts";
import { createForeignHolder, type HeldObservation } from "../../formats/observation.ts";
import { LockIndex } from "./lock-index.ts";
import { parseSortOrder } from "./query-context.ts";

const NOW = 1_790_000_000_000;
const LOCKS = 20_000;
const BY_KEY = parseSortOrder("key");

function hold(index: LockIndex, key: string, owner: string): void {
  const observation: HeldObservation = {
    ...{ state: "held", key, asOf: NOW, type: "string", format: "token", candidates: [], kind: "lock" },
    ...{ confidence: "certain", remainingMs: 1000, waiters: { count: 0, known: "exact" } },
    holders: [createForeignHolder(owner, { count: 1, fence: null, record: undefined })],
  };
  index.applyObservation(observation, { wasGone: false, since: "exact", continuityId: "1" });
}

function createIndex(): LockIndex {
  const index = new LockIndex(undefined, { now: () => NOW, getTypicalHeldMs: () => undefined });
  for (let n = 0; n < LOCKS; n++) hold(index, `lock:${"a".repeat(500)}:${n}`, `owner-${n % 7}`);
  return index;
}

const createOwner = (id: string): TaskOwner => ({ id, charge: () => undefined });
const listKeys = (index: LockIndex, filter: string) =>
  index.queryPage(filter, BY_KEY, { offset: 0 }, LOCKS).holds.map(({ key }) => key);

it("a query that is evaluated in slices includes the changes made meanwhile", async () => {
  const index = createIndex();
  let changes = 0;
  const timer = setInterval(() => {
    const n = changes++;
    // Some of the changed locks have already been evaluated, some have not, and some are new.
    hold(index, `lock:${"a".repeat(500)}:${(n * 977) % LOCKS}`, "owner-changed");
    hold(index, `lock:new:${n}`, n % 2 === 0 ? "owner-changed" : "owner-1");
    index.applyObservation(
      { state: "free", key: `lock:${"a".repeat(500)}:${(n * 491 + 7) % LOCKS}`, asOf: NOW },
      { wasGone: false, since: "exact", continuityId: "1" },
    );
  }, 0);
  for (const filter of ["owner:owner-1", "owner:owner-changed", "key:*9 held>1s", ""]) {
    await index.prepareQuery(filter, BY_KEY, undefined, createOwner("one"));
    const prepared = listKeys(index, filter);
    const fresh = new LockIndex(undefined, { now: () => NOW, getTypicalHeldMs: () => undefined });
    for (const key of index.keys()) {
      const owner = index.get(key)?.seen.holders[0].owner;
      if (owner !== undefined) hold(fresh, key, owner);
    }
    expect(prepared).toEqual(listKeys(fresh, filter));
  }
  clearInterval(timer);
  expect(changes).toBeGreaterThan(4);
});

it("a new filter blocks the event loop for a fraction of its evaluation only", async () => {
  const index = createIndex();
  let longestMs = 0;
  let lastAt = performance.now();
  let isOver = false;
  const tick = () => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - lastAt);
    lastAt = now;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  const startedAt = performance.now();
  const filters = Array.from({ length: 8 }, (_, n) => `key:*${n}*a key:*:${n}* text-${n}`);
  await Promise.all(
    filters.map((filter, n) => index.prepareQuery(filter, BY_KEY, undefined, createOwner(`${n % 2}`))),
  );
  const tookMs = performance.now() - startedAt;
  isOver = true;
  expect(longestMs).toBeLessThan(tookMs / 4);
});

it("callers that want the same filter share one evaluation, and one caller has a limited number", async () => {
  const index = createIndex();
  const [one, two] = [createOwner("one"), createOwner("two")];
  const waiting = Array.from({ length: 16 }, (_, n) =>
    index.prepareQuery(`text-${n}`, BY_KEY, undefined, one),
  );
  await expect(index.prepareQuery("text-16", BY_KEY, undefined, one)).rejects.toMatchObject({
    code: "rate_limited",
  });
  waiting.push(index.prepareQuery("text-0", BY_KEY, undefined, one));
  waiting.push(index.prepareQuery("text-16", BY_KEY, undefined, two));
  await Promise.all(waiting);
  expect(index.isQueryReady("text-16", BY_KEY)).toBe(true);
});
