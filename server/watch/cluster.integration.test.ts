import { expect, test } from "vitest";
import { startChurn, waitForIndex } from "../../test/support/churn.ts";
import { startTestCluster } from "../../test/support/cluster.ts";
import { createTestKey, sleepMs } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock, createForeignOwner, startTestWatcher } from "../../test/support/test-watcher.ts";
import { LockClient } from "../locks/client/lock-client.ts";

const it = test
  .extend("cluster", { scope: "file" }, async ({}, { onCleanup }) => {
    const cluster = await startTestCluster({ masters: 3, replicas: 1 });
    onCleanup(() => cluster.stop());
    return cluster;
  })
  .extend("watching", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const watching = await startTestWatcher({ cluster: cluster.urls });
    onCleanup(() => watching.stop());
    return watching;
  })
  .extend("watcher", { scope: "file" }, ({ watching }) => watching.watcher)
  .extend("masters", { scope: "file" }, ({ watching }) => watching.masters)
  .extend(
    "listEventTypes",
    { scope: "file" },
    ({ watching }) =>
      (key: string) =>
        watching.listEvents(key).map(({ type }) => type),
  )
  .extend(
    "createKey",
    { scope: "file" },
    ({ cluster }) =>
      (master: number) =>
        cluster.findKeyOnMaster(master, createTestKey()),
  )
  .extend(
    "acquireForeign",
    { scope: "file" },
    ({ cluster, watcher }) =>
      async (key: string, leaseMs?: number) => {
        const owner = await acquireForeignLock(cluster.getMasterClient(key), key, leaseMs);
        await waitUntil(() => watcher.index.get(key) !== undefined);
        return owner;
      },
  );

it("the watcher sees locks on every cluster master as they are acquired and expire", async ({
  watcher,
  listEventTypes,
  createKey,
  acquireForeign,
}) => {
  const keys = [0, 1, 2].map(createKey);
  for (const key of keys) await acquireForeign(key, 700);
  expect(watcher.health()).toMatchObject({ state: "live", notifications: "on" });
  expect(watcher.health().masters.map(({ state }) => state)).toEqual(["live", "live", "live"]);
  await waitUntil(() => keys.every((key) => listEventTypes(key).length === 2));
  for (const key of keys) expect(listEventTypes(key)).toEqual(["acquired", "expired"]);
});

it("a large hash on each cluster master is not read, and every master stays live", async ({
  cluster,
  watcher,
  createKey,
  acquireForeign,
}) => {
  const large = [0, 1, 2].map((master) => createKey(master));
  for (const key of large) {
    const client = cluster.getMasterClient(key);
    for (let field = 0; field < 16; field++) await client.hset(key, `field ${field}`, Buffer.alloc(1e6));
  }
  await waitUntil(() => watcher.health().unreadableKeys?.byReason.too_large === 3);
  await acquireForeign(createKey(1));
  expect(watcher.health().masters.map(({ state }) => state)).toEqual(["live", "live", "live"]);
  for (const key of large) await cluster.getMasterClient(key).del(key);
  await waitUntil(() => watcher.health().unreadableKeys === undefined);
});

it("a slot migration emits no events and leaves its locks in the index", async ({
  cluster,
  watcher,
  masters,
  listEventTypes,
  createKey,
  acquireForeign,
}) => {
  const key = createKey(0);
  const twin = `lock:{${key}}:2`;
  const by = await acquireForeign(key);
  const other = await acquireForeign(twin);
  const client = await LockClient.open({ cluster: cluster.urls });
  const ours = `lock:{${key}}:3`;
  const { fence } = await client.acquire(ours, { leaseMs: 60_000, renew: false });
  const fenceSeen = () => watcher.index.get(ours)?.seen.holders[0].fence;
  await waitUntil(() => fenceSeen() === fence);
  const move = await cluster.startSlotMove(key, 1);
  // During the migration of the slot, Redis may refuse a command that reads a lock together with its companion.
  for (const each of [key, ours]) await watcher.readKey(each);
  expect(watcher.index.get(key)?.seen.holders[0].owner).toBe(by);
  expect(fenceSeen()).toBe(fence);
  await move.moveKeys(key, ours);
  for (const each of [key, twin, ours]) await watcher.readKey(each);
  expect(fenceSeen()).toBe(fence);
  expect(watcher.index.get(key)?.seen.holders[0].owner).toBe(by);
  await move.moveKeys(twin, `lockkeeper:hold:{${key}}:lock:{${key}}:3`);
  await move.finish();
  await waitUntil(() => masters.findMaster(key)?.name.endsWith(`:${cluster.masters[1]?.port}`) ?? false);
  for (const each of [key, twin, ours]) await watcher.readKey(each);
  await sleepMs(300);
  expect(listEventTypes(key)).toEqual(["acquired"]);
  expect(listEventTypes(twin)).toEqual(["acquired"]);
  expect(listEventTypes(ours)).toEqual(["acquired"]);
  expect(fenceSeen()).toBe(fence);
  client.close();
  expect(watcher.index.get(twin)?.seen.holders[0].owner).toBe(other);
  // Notifications now arrive from the new master of the slot.
  const there = cluster.masters[1]?.createClient();
  await there?.del(key);
  await waitUntil(() => watcher.index.get(key) === undefined);
  await waitUntil(() => listEventTypes(key).length === 2);
  expect(listEventTypes(key)).toEqual(["acquired", "released"]);
});

it("a newly added master is watched as soon as it owns a slot", async ({
  cluster,
  watcher,
  listEventTypes,
  createKey,
}) => {
  const key = createKey(1);
  const number = await cluster.addMaster();
  const added = cluster.masters[number];
  const move = await cluster.startSlotMove(key, number);
  await move.finish();
  const there = added?.createClient();
  await waitUntil(() => watcher.health().masters.some(({ name }) => name.endsWith(`:${added?.port}`)));
  await waitUntil(() => watcher.health().state === "live");
  await there?.hset(key, createForeignOwner(), 1);
  await waitUntil(() => watcher.index.get(key) !== undefined);
  await there?.del(key);
  await waitUntil(() => listEventTypes(key).length === 2);
  expect(listEventTypes(key)).toEqual(["acquired", "released"]);
});

it("when one master is killed under load, the others stay correct and its keys are correct soon after the promotion", async ({
  cluster,
  watcher,
  createKey,
  acquireForeign,
}) => {
  const [lost, kept] = [createKey(0), createKey(2)];
  await acquireForeign(lost);
  await acquireForeign(kept);
  const [dying] = cluster.masters;
  const [replica] = cluster.replicas;
  if (dying === undefined || replica === undefined) throw new Error("there is no such node");
  const stop = startChurn(dying, () => createKey(0));
  await waitUntil(() => watcher.index.size > 40);
  await dying.kill();
  await waitUntil(() => watcher.health().state === "partial", 4000);
  expect(watcher.health().detail).toContain(`:${dying.port} is down since`);
  await cluster.getMasterClient(kept).del(kept);
  await waitUntil(() => watcher.index.get(kept) === undefined);
  const direct = replica.createClient();
  await waitUntil(async () => (await direct.info("replication")).includes("role:master"), 15_000);
  const promotedAt = performance.now();
  // Lockkeeper receives no notification for writes that the failed master did not replicate, nor for releases before
  // Lockkeeper is connected to the new master.
  await direct.del(lost);
  await waitForIndex(watcher, [...cluster.masters.slice(1), replica]);
  await waitUntil(() => watcher.health().state === "live");
  // A reconciliation would find the changes only after 30 s.
  expect(performance.now() - promotedAt).toBeLessThan(3500);
  await stop();
  const taken = createKey(0);
  await direct.hset(taken, createForeignOwner(), 1);
  await waitUntil(() => watcher.index.get(taken) !== undefined);
});
