import { expect } from "vitest";
import { watcherTest } from "../../test/support/fixtures.ts";
import { RedissonFixture } from "../../test/support/redisson-fixture.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { forceReleaseLock } from "../operator/force-release.ts";

const it = watcherTest()
  .extend("one", { scope: "file" }, ({ direct }) => new RedissonFixture(direct))
  .extend("two", { scope: "file" }, ({ direct }) => new RedissonFixture(direct))
  .extend("findLock", { scope: "file" }, ({ watcher }) => (key: string) => {
    const hold = watcher.index.get(key);
    return hold && watcher.locks.toLock(hold);
  })
  .extend(
    "listHolders",
    { scope: "file" },
    ({ findLock }) =>
      (key: string) =>
        findLock(key)?.holders.map(({ owner }) => owner) ?? [],
  )
  .extend(
    "forceRelease",
    { scope: "file" },
    ({ locks, watcher, journal }) =>
      (key: string, expectedVersion: string, more: { reservedMs?: number } = {}) =>
        forceReleaseLock({ locks, watcher, journal }, key, {
          ...{ expectedVersion, by: "mei", reason: "stuck", onUnverified: "refuse" },
          ...more,
        }),
  )
  // Returns the events, newest first.
  .extend(
    "waitForEvents",
    { scope: "file" },
    ({ watching }) =>
      async (key: string, count: number) =>
        (await watching.waitForEvents(key, count))
          .reverse()
          .map(({ type, owner, observed }) => `${type} ${owner} ${observed}`),
  );

it("force-release by version ends one Redisson read lock, emits an exact event and leaves the other reader", async ({
  one,
  two,
  findLock,
  listHolders,
  forceRelease,
  waitForEvents,
  key,
}) => {
  await one.acquireRead(key);
  await waitUntil(() => listHolders(key).length === 1);
  await two.acquireRead(key);
  await waitUntil(() => listHolders(key).length === 2);
  const [first, second] = findLock(key)?.holders ?? [];
  expect([first?.role, second?.role]).toEqual(["read", "read"]);
  const freed = await forceRelease(key, first?.version ?? "");
  expect(freed).toMatchObject({ outcome: "released", owner: one.getOwner() });
  await waitUntil(() => listHolders(key).length === 1);
  expect(listHolders(key)).toEqual([two.getOwner()]);
  expect(await waitForEvents(key, 3)).toEqual([
    `force_released ${one.getOwner()} exact`,
    `acquired ${two.getOwner()} inferred`,
    `acquired ${one.getOwner()} inferred`,
  ]);
  expect((await forceRelease(key, findLock(key)?.version ?? "")).outcome).toBe("released");
  await waitUntil(() => findLock(key) === undefined);
  expect((await waitForEvents(key, 4))[0]).toBe(`force_released ${two.getOwner()} exact`);
});

it("force-release of a whole Redisson read/write lock emits one event per holder, then the reservation", async ({
  one,
  two,
  findLock,
  listHolders,
  forceRelease,
  waitForEvents,
  key,
}) => {
  await one.acquireRead(key);
  await two.acquireRead(key);
  await waitUntil(() => listHolders(key).length === 2);
  await forceRelease(key, findLock(key)?.version ?? "", { reservedMs: 60_000 });
  await waitUntil(() => listHolders(key)[0] === "lockkeeper:reserve:mei:write");
  expect(findLock(key)).toMatchObject({ kind: "write", leaseMs: 60_000, holders: [{ role: "write" }] });
  const events = await waitForEvents(key, 5);
  expect(events[0]).toBe("acquired lockkeeper:reserve:mei:write exact");
  expect(events.slice(1, 3).sort()).toEqual(
    [one, two].map((client) => `force_released ${client.getOwner()} exact`).sort(),
  );
  expect(events).toHaveLength(5);
  expect((await forceRelease(key, findLock(key)?.version ?? "")).outcome).toBe("released");
  await waitUntil(() => findLock(key) === undefined);
});

it("a Redisson fenced lock shows its last fencing token while its holder stays foreign", async ({
  one,
  findLock,
  forceRelease,
  key,
}) => {
  const fence = await one.acquireLock(key, {}, "fenced");
  await waitUntil(() => findLock(key)?.lastFence === String(fence));
  expect(findLock(key)).toMatchObject({ kind: "fenced", holders: [{ fence: null }] });
  const { version } = findLock(key) ?? {};
  await one.acquireLock(key, {}, "fenced");
  await waitUntil(() => findLock(key)?.lastFence === String(fence + 1));
  expect(findLock(key)?.version).toBe(version);
  expect((await forceRelease(key, version ?? "")).outcome).toBe("released");
});

it("force-release by version ends one value of a Redisson group", async ({
  one,
  two,
  findLock,
  listHolders,
  forceRelease,
  waitForEvents,
  key,
}) => {
  await one.acquireGroup(key, ["a", "b"]);
  await waitUntil(() => listHolders(key).length === 2);
  const [a] = findLock(key)?.holders ?? [];
  expect((await forceRelease(key, a?.version ?? "")).owner).toBe(`a:${one.getOwner()}`);
  await waitUntil(() => listHolders(key).length === 1);
  expect(await waitForEvents(key, 3)).toContain(`force_released a:${one.getOwner()} exact`);
  expect(await two.acquireGroup(key, ["a"])).toBeNull();
});

it("a client of Redisson that enters the queue of a fair lock is shown at once", async ({
  one,
  two,
  findLock,
  key,
}) => {
  const leaseMs = 60_000;
  await one.acquireFair(key, { thread: 1, leaseMs });
  await waitUntil(() => findLock(key)?.holders.length === 1);
  await two.acquireFair(key, { thread: 1, leaseMs });
  // Without a notification, Lockkeeper would read the waiters only every 25 s.
  await waitUntil(() => findLock(key)?.waiters.count === 1);
  expect(findLock(key)).toMatchObject({ kind: "fair", waiters: { count: 1, known: "exact" } });
});
