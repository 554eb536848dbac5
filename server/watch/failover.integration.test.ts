import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { churn, untilPictureIs } from "../../test/support/churn.ts";
import type { TestRedis } from "../../test/support/test-redis.ts";
import { startTestSentinel, type TestSentinel } from "../../test/support/test-sentinel.ts";
import { until } from "../../test/support/test-server.ts";
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

const nameOf = ({ port }: TestRedis) => `127.0.0.1:${port}`;

it("after the master is killed under load, known keys are correct within 2 s of the promotion", async () => {
  const old = await group.master();
  expect(watcher.health().masters[0]?.name).toBe(nameOf(old));
  const stop = churn(old);
  await until(() => watcher.mirror.size > 40);
  await group.killMaster();
  await until(() => watcher.health().state === "down", 4000);
  const promoted = await group.promoted(old);
  // What the old master told nobody is gone, and what only it had must not be shown any longer.
  expect(await untilPictureIs(watcher, [promoted])).toBeLessThan(2000);
  await until(() => watcher.health().state === "live", 2000);
  expect(watcher.health()).toMatchObject({ notifications: "on", masters: [{ name: nameOf(promoted) }] });
  await stop();
  const key = `lock:${randomUUID()}`;
  await promoted.client().hset(key, `${randomUUID()}:1`, 1);
  await until(() => watcher.mirror.get(key) !== undefined, 1000);
  await old.restart();
});

it("after a graceful failover, the watcher stops trusting the old master, now a replica", async () => {
  await until(() => group.isWhole(), 15_000);
  const old = await group.master();
  const stop = churn(old);
  const promoted = await group.failover();
  const rightMs = await untilPictureIs(watcher, [promoted]);
  expect(rightMs).toBeLessThan(2000);
  await until(() => watcher.health().masters[0]?.name === nameOf(promoted), 2000);
  await until(() => watcher.health().state === "live", 2000);
  await stop();
});
