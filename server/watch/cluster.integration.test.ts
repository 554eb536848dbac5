import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startChurn, waitForIndex } from "../../test/support/churn.ts";
import { startTestCluster, type TestCluster } from "../../test/support/cluster.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import type { Journal } from "../history/journal.ts";
import { LockClient } from "../locks/client/lock-client.ts";
import type { Masters } from "../redis/master.ts";
import type { Watcher } from "./watcher.ts";

let cluster: TestCluster;
let watching: TestWatcher;
let masters: Masters;
let journal: Journal;
let watcher: Watcher;

beforeAll(async () => {
  cluster = await startTestCluster({ masters: 3, replicas: 1 });
  watching = await startTestWatcher({ cluster: cluster.urls });
  ({ watcher, masters, journal } = watching);
});
afterAll(async () => {
  watching.stop();
  await cluster.stop();
});

const createKey = (master: number) => cluster.findKeyOnMaster(master, `lock:${randomUUID()}`);
const createOwner = () => `${randomUUID()}:7`;
const listEvents = (key: string) =>
  journal
    .listKeyEvents(key, 100)
    .items.reverse()
    .map(({ type }) => type);

async function acquireForeignLock(key: string, by = createOwner(), leaseMs = 60_000): Promise<string> {
  await cluster.getMasterClient(key).multi().hset(key, by, 1).pexpire(key, leaseMs).exec();
  await waitUntil(() => watcher.index.get(key) !== undefined, 1000);
  return by;
}

it("the watcher sees locks on every cluster master as they are acquired and expire", async () => {
  const keys = [0, 1, 2].map(createKey);
  for (const key of keys) await acquireForeignLock(key, createOwner(), 700);
  expect(watcher.health()).toMatchObject({ state: "live", notifications: "on" });
  expect(watcher.health().masters.map(({ state }) => state)).toEqual(["live", "live", "live"]);
  await waitUntil(() => keys.every((key) => listEvents(key).length === 2));
  for (const key of keys) expect(listEvents(key)).toEqual(["acquired", "expired"]);
});

it("a slot migration emits no events and leaves its locks in the index", async () => {
  const key = createKey(0);
  const twin = `lock:{${key}}:2`;
  const by = await acquireForeignLock(key);
  const other = await acquireForeignLock(twin);
  const client = await LockClient.open({ cluster: cluster.urls });
  const ours = `lock:{${key}}:3`;
  const { fence } = await client.acquire(ours, { leaseMs: 60_000, renew: false });
  const fenceSeen = () => watcher.index.get(ours)?.seen.holders[0].fence;
  await waitUntil(() => fenceSeen() === fence);
  const move = await cluster.startSlotMove(key, 1);
  // Between the two its keys cannot be asked for together.
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
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(listEvents(key)).toEqual(["acquired"]);
  expect(listEvents(twin)).toEqual(["acquired"]);
  expect(listEvents(ours)).toEqual(["acquired"]);
  expect(fenceSeen()).toBe(fence);
  client.close();
  expect(watcher.index.get(twin)?.seen.holders[0].owner).toBe(other);
  // Both are heard of where they are now.
  const there = cluster.masters[1]?.createClient();
  await there?.del(key);
  await waitUntil(() => watcher.index.get(key) === undefined, 1000);
  await waitUntil(() => listEvents(key).length === 2);
  expect(listEvents(key)).toEqual(["acquired", "released"]);
});

it("a newly added master is watched as soon as it owns a slot", async () => {
  const key = createKey(1);
  const number = await cluster.addMaster();
  const added = cluster.masters[number];
  const move = await cluster.startSlotMove(key, number);
  await move.finish();
  const there = added?.createClient();
  await waitUntil(() => watcher.health().masters.some(({ name }) => name.endsWith(`:${added?.port}`)), 3000);
  await waitUntil(() => watcher.health().state === "live", 3000);
  await there?.hset(key, createOwner(), 1);
  await waitUntil(() => watcher.index.get(key) !== undefined, 1000);
  await there?.del(key);
  await waitUntil(() => listEvents(key).length === 2);
  expect(listEvents(key)).toEqual(["acquired", "released"]);
});

it("when one master is killed under load, the others stay correct and its keys are correct within 2 s of promotion", async () => {
  const [lost, kept] = [createKey(0), createKey(2)];
  await acquireForeignLock(lost);
  await acquireForeignLock(kept);
  const [dying] = cluster.masters;
  const [replica] = cluster.replicas;
  if (dying === undefined || replica === undefined) throw new Error("there is no such node");
  const stop = startChurn(dying, () => createKey(0));
  await waitUntil(() => watcher.index.size > 40);
  await dying.kill();
  await waitUntil(() => watcher.health().state === "partial", 4000);
  expect(watcher.health().detail).toContain(`:${dying.port} is down since`);
  await cluster.getMasterClient(kept).del(kept);
  await waitUntil(() => watcher.index.get(kept) === undefined, 3000);
  const direct = replica.createClient();
  await waitUntil(async () => (await direct.info("replication")).includes("role:master"), 15_000);
  const promotedAt = performance.now();
  // What the dead one told nobody is gone, and so is what is released before we are in touch with the new one.
  await direct.del(lost);
  await waitForIndex(watcher, [...cluster.masters.slice(1), replica]);
  await waitUntil(() => watcher.health().state === "live");
  expect(performance.now() - promotedAt).toBeLessThan(2000);
  await stop();
  const taken = createKey(0);
  await direct.hset(taken, createOwner(), 1);
  await waitUntil(() => watcher.index.get(taken) !== undefined, 1000);
});
