import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { churn, untilPictureIs } from "../../test/support/churn.ts";
import { startTestCluster, type TestCluster } from "../../test/support/cluster.ts";
import { until } from "../../test/support/test-server.ts";
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

const fresh = (master: number) => cluster.keyAt(master, `lock:${randomUUID()}`);
const owner = () => `${randomUUID()}:7`;
const story = (key: string) =>
  journal
    .ofKey(key, 100)
    .items.reverse()
    .map(({ type }) => type);

async function take(key: string, by = owner(), leaseMs = 60_000): Promise<string> {
  await cluster.serverOf(key).multi().hset(key, by, 1).pexpire(key, leaseMs).exec();
  await until(() => watcher.mirror.get(key) !== undefined, 1000);
  return by;
}

it("the watcher sees locks on every cluster master as they are acquired and expire", async () => {
  const keys = [0, 1, 2].map(fresh);
  for (const key of keys) await take(key, owner(), 700);
  expect(watcher.health()).toMatchObject({ state: "live", notifications: "on" });
  expect(watcher.health().masters.map(({ state }) => state)).toEqual(["live", "live", "live"]);
  await until(() => keys.every((key) => story(key).length === 2));
  for (const key of keys) expect(story(key)).toEqual(["acquired", "expired"]);
});

it("a slot migration emits no events and leaves its locks in the index", async () => {
  const key = fresh(0);
  const twin = `lock:{${key}}:2`;
  const by = await take(key);
  const other = await take(twin);
  const client = await LockClient.open({ cluster: cluster.urls });
  const ours = `lock:{${key}}:3`;
  const { fence } = await client.acquire(ours, { leaseMs: 60_000, renew: false });
  const fenceSeen = () => watcher.mirror.get(ours)?.seen.holders[0].fence;
  await until(() => fenceSeen() === fence);
  const move = await cluster.move(key, 1);
  // Between the two its keys cannot be asked for together.
  for (const each of [key, ours]) await watcher.look(each);
  expect(watcher.mirror.get(key)?.seen.holders[0].owner).toBe(by);
  expect(fenceSeen()).toBe(fence);
  await move.moveKeys(key, ours);
  for (const each of [key, twin, ours]) await watcher.look(each);
  expect(fenceSeen()).toBe(fence);
  expect(watcher.mirror.get(key)?.seen.holders[0].owner).toBe(by);
  await move.moveKeys(twin, `lockkeeper:hold:{${key}}:lock:{${key}}:3`);
  await move.end();
  await until(() => masters.of(key)?.name.endsWith(`:${cluster.masters[1]?.port}`) ?? false);
  for (const each of [key, twin, ours]) await watcher.look(each);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(story(key)).toEqual(["acquired"]);
  expect(story(twin)).toEqual(["acquired"]);
  expect(story(ours)).toEqual(["acquired"]);
  expect(fenceSeen()).toBe(fence);
  client.close();
  expect(watcher.mirror.get(twin)?.seen.holders[0].owner).toBe(other);
  // Both are heard of where they are now.
  const there = cluster.masters[1]?.client();
  await there?.del(key);
  await until(() => watcher.mirror.get(key) === undefined, 1000);
  await until(() => story(key).length === 2);
  expect(story(key)).toEqual(["acquired", "released"]);
});

it("a newly added master is watched as soon as it owns a slot", async () => {
  const key = fresh(1);
  const number = await cluster.addMaster();
  const added = cluster.masters[number];
  const move = await cluster.move(key, number);
  await move.end();
  const there = added?.client();
  await until(() => watcher.health().masters.some(({ name }) => name.endsWith(`:${added?.port}`)), 3000);
  await until(() => watcher.health().state === "live", 3000);
  await there?.hset(key, owner(), 1);
  await until(() => watcher.mirror.get(key) !== undefined, 1000);
  await there?.del(key);
  await until(() => story(key).length === 2);
  expect(story(key)).toEqual(["acquired", "released"]);
});

it("when one master is killed under load, the others stay correct and its keys are correct within 2 s of promotion", async () => {
  const [lost, kept] = [fresh(0), fresh(2)];
  await take(lost);
  await take(kept);
  const [dying] = cluster.masters;
  const [replica] = cluster.replicas;
  if (dying === undefined || replica === undefined) throw new Error("there is no such node");
  const stop = churn(dying, () => fresh(0));
  await until(() => watcher.mirror.size > 40);
  await dying.kill();
  await until(() => watcher.health().state === "partial", 4000);
  expect(watcher.health().detail).toContain(`:${dying.port} is down since`);
  await cluster.serverOf(kept).del(kept);
  await until(() => watcher.mirror.get(kept) === undefined, 3000);
  const direct = replica.client();
  await until(async () => (await direct.info("replication")).includes("role:master"), 15_000);
  const promotedAt = performance.now();
  // What the dead one told nobody is gone, and so is what is released before we are in touch with the new one.
  await direct.del(lost);
  await untilPictureIs(watcher, [...cluster.masters.slice(1), replica]);
  await until(() => watcher.health().state === "live");
  expect(performance.now() - promotedAt).toBeLessThan(2000);
  await stop();
  const taken = fresh(0);
  await direct.hset(taken, owner(), 1);
  await until(() => watcher.mirror.get(taken) !== undefined, 1000);
});
