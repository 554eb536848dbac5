import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startChurn, waitForIndex } from "../../test/support/churn.ts";
import type { TestRedis } from "../../test/support/test-redis.ts";
import { startTestSentinel, type TestSentinel } from "../../test/support/test-sentinel.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import type { Watcher } from "./watcher.ts";

let group: TestSentinel;
let watching: TestWatcher;
let watcher: Watcher;

beforeAll(async () => {
  group = await startTestSentinel();
  watching = await startTestWatcher(group.where);
  ({ watcher } = watching);
});
afterAll(async () => {
  watching.stop();
  await group.stop();
});

const formatAddress = ({ port }: TestRedis) => `127.0.0.1:${port}`;

it("after the master is killed under load, known keys are correct within 2 s of the promotion", async () => {
  const old = await group.findMaster();
  expect(watcher.health().masters[0]?.name).toBe(formatAddress(old));
  const stop = startChurn(old);
  await waitUntil(() => watcher.index.size > 40);
  await group.killMaster();
  await waitUntil(() => watcher.health().state === "down", 4000);
  const promoted = await group.waitForPromotion(old);
  // What the old master told nobody is gone, and what only it had must not be shown any longer.
  expect(await waitForIndex(watcher, [promoted])).toBeLessThan(2000);
  await waitUntil(() => watcher.health().state === "live", 2000);
  expect(watcher.health()).toMatchObject({
    notifications: "on",
    masters: [{ name: formatAddress(promoted) }],
  });
  await stop();
  const key = `lock:${randomUUID()}`;
  await promoted.createClient().hset(key, `${randomUUID()}:1`, 1);
  await waitUntil(() => watcher.index.get(key) !== undefined, 1000);
  await old.restart();
});

it("after a graceful failover, the watcher stops trusting the old master, now a replica", async () => {
  await waitUntil(() => group.isInSync(), 15_000);
  const old = await group.findMaster();
  const stop = startChurn(old);
  const promoted = await group.failover();
  const rightMs = await waitForIndex(watcher, [promoted]);
  expect(rightMs).toBeLessThan(2000);
  await waitUntil(() => watcher.health().masters[0]?.name === formatAddress(promoted), 2000);
  await waitUntil(() => watcher.health().state === "live", 2000);
  await stop();
});
