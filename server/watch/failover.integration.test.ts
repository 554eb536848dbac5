import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { startChurn, waitForIndex } from "../../test/support/churn.ts";
import type { TestRedis } from "../../test/support/test-redis.ts";
import { startTestSentinel } from "../../test/support/test-sentinel.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { startTestWatcher } from "../../test/support/test-watcher.ts";

const it = test
  .extend("group", { scope: "file" }, async ({}, { onCleanup }) => {
    const group = await startTestSentinel();
    onCleanup(() => group.stop());
    return group;
  })
  .extend("watcher", { scope: "file" }, async ({ group }, { onCleanup }) => {
    const { watcher, stop } = await startTestWatcher(group.where);
    onCleanup(stop);
    return watcher;
  });

const formatAddress = ({ port }: TestRedis) => `127.0.0.1:${port}`;

it("after the master is killed under load, known keys are correct within 2 s of the promotion", async ({
  group,
  watcher,
}) => {
  const old = await group.findMaster();
  expect(watcher.health().masters[0]?.name).toBe(formatAddress(old));
  const stop = startChurn(old);
  await waitUntil(() => watcher.index.size > 40);
  await group.killMaster();
  await waitUntil(() => watcher.health().state === "down", 4000);
  const promoted = await group.waitForPromotion(old);
  // Writes that the old master did not replicate are lost. Locks that existed only on the old master must disappear
  // from the index.
  expect(await waitForIndex(watcher, [promoted])).toBeLessThan(2000);
  await waitUntil(() => watcher.health().state === "live", 2000);
  expect(watcher.health()).toMatchObject({
    notifications: "on",
    masters: [{ name: formatAddress(promoted) }],
  });
  await stop();
  const key = `lock:${randomUUID()}`;
  await promoted.createClient().hset(key, `${randomUUID()}:1`, 1);
  await waitUntil(() => watcher.index.get(key) !== undefined);
  await old.restart();
});

it("after a graceful failover, the watcher stops trusting the old master, now a replica", async ({
  group,
  watcher,
}) => {
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
