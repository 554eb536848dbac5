import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { LivenessState } from "../../../lib/contract/liveness.ts";
import { countScriptCalls, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestRedis, type TestRedis } from "../../../test/support/test-redis.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../../test/support/test-watcher.ts";
import type { Watcher } from "../watcher.ts";

const LEASE_MS = 1500;
const EVERY_MS = 500;

let redis: TestRedis;
let direct: Redis;
let watching: TestWatcher;
let watcher: Watcher;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.createClient();
  watching = await startTestWatcher(redis.url);
  ({ watcher } = watching);
});
afterAll(async () => {
  watching.stop();
  await redis.stop();
});

async function acquireForeignLock(leaseMs: number): Promise<string> {
  const key = `lock:${randomUUID()}`;
  await direct.multi().hset(key, `${randomUUID()}:7`, 1).pexpire(key, leaseMs).exec();
  await waitUntil(() => watcher.index.get(key) !== undefined);
  await watcher.waitUntilSettled();
  return key;
}

const getLiveness = (key: string) => {
  const hold = watcher.index.get(key);
  return hold && (watcher.locks.toLock(hold).verdict ?? undefined);
};

/** How often the watcher has read anything, apart from its rounds, which read the one lock that is known. */
async function countReads(): Promise<number> {
  const scans = /cmdstat_scan:calls=(\d+)/.exec(await direct.info("commandstats"))?.[1];
  return (await countScriptCalls(direct)) - Number(scans);
}

/** All verdicts that a lock has until it is gone. */
async function collectLivenessUntilGone(key: string): Promise<LivenessState[]> {
  const states: LivenessState[] = [];
  await waitUntil(() => {
    const state = getLiveness(key)?.state;
    if (state !== undefined && state !== states.at(-1)) states.push(state);
    return state === undefined;
  });
  return states;
}

it("a renewed lock costs one read per renewal, and one more read detects an overdue renewal", async () => {
  const key = await acquireForeignLock(LEASE_MS);
  const before = await countReads();
  const renewals = 8;
  let overdue = 0;
  let renewedAt = performance.now();
  for (let n = 0; n < renewals; n++) {
    await sleepMs(EVERY_MS);
    await direct.pexpire(key, LEASE_MS);
    // On a machine that is busy the renewal itself may come late.
    if (performance.now() - renewedAt > 1.2 * EVERY_MS) overdue++;
    renewedAt = performance.now();
  }
  await waitUntil(() => getLiveness(key)?.renewals === renewals);
  expect(getLiveness(key)?.state).toBe("renewing");
  expect((await countReads()) - before).toBeLessThanOrEqual(renewals + overdue);
  await waitUntil(() => getLiveness(key)?.state === "late");
  expect(performance.now() - renewedAt).toBeLessThan(LEASE_MS);
  expect((await countReads()) - before).toBeLessThanOrEqual(renewals + overdue + 1);
  expect(await collectLivenessUntilGone(key)).toEqual(["late"]);
}, 15_000);

it("a lock that is not renewed is read once when that becomes certain and again at its end", async () => {
  const key = await acquireForeignLock(LEASE_MS);
  const before = await countReads();
  expect(await collectLivenessUntilGone(key)).toEqual(["unknown", "fixed-lease"]);
  // Around its end: a moment too early by Redis's rounding, then as it ends, and once more as Redis tells of that.
  expect((await countReads()) - before).toBeLessThanOrEqual(1 + 3);
});

it("a lock without a TTL is reported as such and not read again", async () => {
  const key = await acquireForeignLock(LEASE_MS);
  await direct.persist(key);
  await waitUntil(() => getLiveness(key)?.state === "no-expiry");
  const before = await countReads();
  await sleepMs(LEASE_MS + 200);
  expect((await countReads()) - before).toBe(0);
  await direct.del(key);
});
