import type { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestCluster } from "../../test/support/cluster.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { startTestMasters } from "../../test/support/test-masters.ts";
import { startTestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock, createForeignOwner, startTestWatcher } from "../../test/support/test-watcher.ts";
import type { Watcher } from "./watcher.ts";

const LOCKS = 10_000;
/**
 * Maximum delay, in ms, until the end of a hold is observed. An idle machine takes up to 3 s, a busy machine takes
 * longer. A full scan of all keys would take 20 s.
 */
const END_MS_MAX = 6000;

const FILL = `for at = 1, tonumber(ARGV[2]) do
  redis.call('HSET', ARGV[1] .. at, string.format('5f0c0c1e-0000-4000-8000-%012d:1', at), 1)
  redis.call('PEXPIRE', ARGV[1] .. at, 3600000)
end`;

/** Each test has its own Redis without notifications. */
const it = test
  .extend("redis", async ({}, { onCleanup }) => {
    const redis = await startTestRedis({ args: ["--notify-keyspace-events", ""] });
    onCleanup(() => redis.stop());
    return redis;
  })
  .extend("direct", ({ redis }) => redis.createClient())
  .extend("startWatching", ({ redis }, { onCleanup }) => async () => {
    const watching = await startTestWatcher(redis.url);
    onCleanup(() => watching.stop());
    return watching;
  })
  .extend("key", () => createTestKey());

const getOwner = (watcher: Watcher, key: string) => watcher.index.get(key)?.seen.holders[0].owner;
/** Waits until a polling round that started after this call has ended. */
const waitForRound = async (watcher: Watcher) => {
  const now = await waitUntilMeasured(watcher);
  await waitUntil(() => watcher.asOf > now, 10_000);
};
const waitUntilMeasured = async (watcher: Watcher) => {
  await waitUntil(() => watcher.health().polling?.endsSeenWithinMs != null, 10_000);
  return watcher.clock.now();
};

describe("polling of known holds", () => {
  it("ends among 10,000 locks are seen within seconds, and within the delay that the health states", async ({
    direct,
    startWatching,
  }) => {
    await direct.eval(FILL, 0, "lock:many:", LOCKS);
    const { watcher } = await startWatching();
    await waitUntilMeasured(watcher);
    const delaysMs: number[] = [];
    for (let sample = 1; sample <= 10; sample++) {
      const key = `lock:many:${sample * 997}`;
      await direct.del(key);
      const endedAt = performance.now();
      await waitUntil(() => watcher.index.get(key) === undefined, 30_000);
      delaysMs.push(performance.now() - endedAt);
    }
    const statedMs = watcher.health().polling?.endsSeenWithinMs ?? 0;
    expect(Math.max(...delaysMs)).toBeLessThan(END_MS_MAX);
    // `endsSeenWithinMs` covers only the last three polling rounds. The first holds ended before these rounds, so only
    // the shortest delay can be compared.
    expect(Math.min(...delaysMs)).toBeLessThanOrEqual(statedMs);
    expect(statedMs).toBeLessThan(END_MS_MAX);
  }, 120_000);

  it.for<
    [
      string,
      (direct: Redis, key: string) => Promise<unknown>,
      (direct: Redis, key: string) => Promise<unknown>,
    ]
  >([
    [
      "a string without TTL",
      (direct, key) => direct.set(key, "5f0c0c1e-0000-4000-8000-000000000001"),
      (direct, key) => direct.set(key, "5f0c0c1e-0000-4000-8000-000000000002"),
    ],
    [
      "a string with the same deadline",
      (direct, key) => direct.set(key, "5f0c0c1e-0000-4000-8000-000000000001", "PX", 600_000),
      (direct, key) => direct.set(key, "5f0c0c1e-0000-4000-8000-000000000002", "KEEPTTL"),
    ],
    [
      "a hash with the same deadline",
      (direct, key) => acquireForeignLock(direct, key, 600_000),
      (direct, key) => direct.multi().hset(key, createForeignOwner(), 1).hdel(key, "gone").exec(),
    ],
  ])("another holder of %s is seen", async ([, acquire, change], { direct, key, startWatching }) => {
    await acquire(direct, key);
    const { watcher } = await startWatching();
    await waitForRound(watcher);
    const before = JSON.stringify(watcher.index.get(key)?.seen.holders.map(({ owner }) => owner));
    const fullReadAt = watcher.index.get(key)?.seen.asOf ?? 0;
    await change(direct, key);
    const changedAt = watcher.clock.now();
    await waitUntil(() => (watcher.index.get(key)?.seen.asOf ?? 0) >= changedAt, END_MS_MAX);
    const after = JSON.stringify(watcher.index.get(key)?.seen.holders.map(({ owner }) => owner));
    expect(after).not.toBe(before);
    expect(fullReadAt).toBeLessThan(changedAt);
  });

  it("unchanged holds are not read in full in each round", async ({ direct, key, startWatching }) => {
    await acquireForeignLock(direct, key, 600_000);
    const { watcher } = await startWatching();
    await waitForRound(watcher);
    const readAt = watcher.index.get(key)?.seen.asOf;
    for (let round = 0; round < 3; round++) await waitForRound(watcher);
    expect(watcher.index.get(key)?.seen.asOf).toBe(readAt);
  });

  it("the end of a lock is seen on each master of a cluster", async () => {
    const cluster = await startTestCluster({ masters: 3 });
    onTestFinished(() => cluster.stop());
    const keys = [0, 1, 2].map((master) => cluster.findKeyOnMaster(master, createTestKey()));
    for (const key of keys) await cluster.getMasterClient(key).config("SET", "notify-keyspace-events", "");
    const { watcher, stop } = await startTestWatcher({ cluster: cluster.urls });
    onTestFinished(stop);
    for (const key of keys) await acquireForeignLock(cluster.getMasterClient(key), key);
    await waitUntil(() => keys.every((key) => watcher.index.get(key) !== undefined), 15_000);
    await waitUntilMeasured(watcher);
    expect(watcher.health().masters.every(({ polling }) => polling !== undefined)).toBe(true);
    for (const key of keys) await cluster.getMasterClient(key).del(key);
    await waitUntil(() => keys.every((key) => watcher.index.get(key) === undefined), END_MS_MAX);
  });

  it("the end of a lock is seen on a quorum", async ({ key }) => {
    const masters = await startTestMasters(3, () => ({ args: ["--notify-keyspace-events", ""] }));
    onTestFinished(() => masters.stop());
    const { watcher, stop } = await startTestWatcher({ quorum: masters.urls });
    onTestFinished(stop);
    for (const redis of masters.clients)
      await redis.set(key, "5f0c0c1e-0000-4000-8000-000000000001", "PX", 600_000);
    await waitUntil(() => watcher.index.get(key) !== undefined, 15_000);
    await waitUntilMeasured(watcher);
    for (const redis of masters.clients) await redis.del(key);
    await waitUntil(() => watcher.index.get(key) === undefined, END_MS_MAX);
  });
});

describe("scans for new locks", () => {
  it("a key that was not a lock is found when it becomes one", async ({ direct, key, startWatching }) => {
    for (let at = 1; at <= 500; at++) await direct.hset(`lock:settings:${at}`, "name", "someone");
    await direct.hset(key, "name", "someone");
    const { watcher } = await startWatching();
    await waitUntil(() => watcher.health().polling?.newLocksSeenWithinMs != null, 20_000);
    expect(watcher.index.size).toBe(0);
    await direct.del(key);
    await acquireForeignLock(direct, key);
    await waitUntil(() => getOwner(watcher, key) !== undefined, 20_000);
  });

  it("keys that are not locks and did not change are not read again", async ({ direct, startWatching }) => {
    for (let at = 1; at <= 200; at++) await direct.hset(`lock:settings:${at}`, "name", "someone");
    const { watcher } = await startWatching();
    const read: string[] = [];
    watcher.onReading((key) => read.push(String(key)));
    await waitUntil(() => watcher.health().polling?.newLocksSeenWithinMs != null, 20_000);
    const { scannedAt } = watcher.health();
    read.length = 0;
    await waitUntil(() => (watcher.health().scannedAt ?? 0) > (scannedAt ?? 0), 20_000);
    // Each scan reads one in fifty unchanged keys again.
    expect(read.length).toBeLessThan(40);
  });
});

describe("the health of a polled target", () => {
  it("states the measured delays in numbers and in the detail, and nothing when notifications arrive", async ({
    direct,
    startWatching,
  }) => {
    const { watcher } = await startWatching();
    await waitUntil(() => watcher.health().polling?.newLocksSeenWithinMs != null, 20_000);
    await waitUntilMeasured(watcher);
    const { polling, detail } = watcher.health();
    expect(polling?.endsSeenWithinMs).toBeGreaterThan(0);
    expect(detail).toContain("Measured: ends of locks are shown within");
    expect(detail).not.toContain("every second");
    await direct.config("SET", "notify-keyspace-events", "Kghszxe$");
    await waitUntil(() => watcher.health().notifications === "on", 10_000);
    expect(watcher.health()).not.toHaveProperty("polling");
  });

  it("while Redis hangs, asOf does not advance, also when it counts as down", async ({
    direct,
    startWatching,
  }) => {
    const { watcher } = await startWatching();
    await waitUntilMeasured(watcher);
    const before = watcher.asOf;
    await waitUntil(() => watcher.asOf > before, 10_000);
    const pausedAt = watcher.clock.now();
    await direct.client("PAUSE", 3000, "ALL");
    await waitUntil(() => watcher.clock.now() > pausedAt + 1000);
    expect(watcher.asOf).toBeLessThanOrEqual(pausedAt + 100);
    await waitUntil(() => !watcher.isUp);
    expect(watcher.asOf).toBeLessThanOrEqual(pausedAt + 100);
  });
});

describe("asOf of an idle target with notifications", () => {
  it("follows the clock of Redis without any read", async ({ direct, key, startWatching }) => {
    await direct.config("SET", "notify-keyspace-events", "Kghszxe$");
    await acquireForeignLock(direct, key, 600_000);
    const { watcher } = await startWatching();
    await waitUntil(() => watcher.health().notifications === "on");
    const readAt = watcher.index.get(key)?.seen.asOf ?? 0;
    await waitUntil(() => watcher.clock.now() > readAt + 3000);
    expect(watcher.index.get(key)?.seen.asOf).toBe(readAt);
    expect(watcher.clock.now() - watcher.asOf).toBeLessThan(2000);
    // Each read updates the clock. The last update was within a second of this read, so no key was read afterwards.
    expect(watcher.clock.lastUpdate).toBeLessThan(readAt + 1000);
  });
});
