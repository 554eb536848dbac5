import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { expect, test } from "vitest";
import { startTestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { startTestWatcher } from "../../test/support/test-watcher.ts";

const KEYS = 40;
const RUN_MS = 6000;
const KILL_EVERY_MS = 200;
/** Upper bound of the time, in ms, for which the test holds a lock. */
const HOLD_MS = 300;

/** Repeatedly acquires and releases foreign locks until `isOver` returns true. Each hold has a new owner. */
async function churn(redis: Redis, isOver: () => boolean): Promise<void> {
  const run = async (n: number) => {
    for (let hold = n; !isOver(); hold++) {
      await redis.set(`lock:churn:${n}`, randomUUID(), "PX", 60_000);
      await sleep((hold * 37) % HOLD_MS);
      await redis.del(`lock:churn:${n}`);
      await sleep(hold % 20);
    }
  };
  await Promise.all(Array.from({ length: KEYS }, (_, n) => run(n)));
}

test("no hold is reported twice while subscribers lose their connections every 200 ms", {
  timeout: 60_000,
}, async ({ onTestFinished }) => {
  const redis = await startTestRedis();
  onTestFinished(() => redis.stop());
  const { watcher, journal, stop } = await startTestWatcher(redis.url);
  onTestFinished(stop);
  const until = performance.now() + RUN_MS;
  const isOver = () => performance.now() > until;
  const killer = redis.createClient();
  const kill = async () => {
    for (; !isOver(); await sleep(KILL_EVERY_MS)) await killer.call("CLIENT", "KILL", "TYPE", "pubsub");
  };
  await Promise.all([churn(redis.createClient(), isOver), kill()]);
  await waitUntil(() => watcher.health().state === "live" && watcher.index.size === 0, 20_000);
  const owners = journal
    .listRecent(100_000)
    .flatMap((entry) => (entry.type === "acquired" ? [entry.owner] : []));
  expect(owners.length).toBeGreaterThan(KEYS);
  expect(owners.filter((owner, at) => owners.indexOf(owner) !== at)).toEqual([]);
});
