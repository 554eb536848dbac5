import { expect } from "vitest";
import type { LivenessState } from "../../../lib/contract/liveness.ts";
import { watcherTest } from "../../../test/support/fixtures.ts";
import { countScriptCalls, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { acquireForeignLock } from "../../../test/support/test-watcher.ts";

const LEASE_MS = 1500;
const EVERY_MS = 500;

const it = watcherTest()
  .extend("lock", async ({ direct, watcher, key }) => {
    await acquireForeignLock(direct, key, LEASE_MS);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    await watcher.waitUntilSettled();
    return key;
  })
  .extend("getLiveness", { scope: "file" }, ({ watcher }) => (key: string) => {
    const hold = watcher.index.get(key);
    return hold && (watcher.locks.toLock(hold).liveness ?? undefined);
  })
  // Counts reads of keys. Excludes polling rounds, each of which reads the only known lock.
  .extend("countReads", { scope: "file" }, ({ direct }) => async () => {
    const scans = /cmdstat_scan:calls=(\d+)/.exec(await direct.info("commandstats"))?.[1];
    return (await countScriptCalls(direct)) - Number(scans);
  })
  // Returns the successive liveness states of the lock until the lock is gone.
  .extend("collectLivenessUntilGone", { scope: "file" }, ({ getLiveness }) => async (key: string) => {
    const states: LivenessState[] = [];
    await waitUntil(() => {
      const state = getLiveness(key)?.state;
      if (state !== undefined && state !== states.at(-1)) states.push(state);
      return state === undefined;
    });
    return states;
  });

it("a renewed lock costs one read per renewal, and one more read detects an overdue renewal", async ({
  direct,
  lock: key,
  getLiveness,
  countReads,
  collectLivenessUntilGone,
}) => {
  const before = await countReads();
  let renewals = 0;
  let overdue = 0;
  let renewedAt = performance.now();
  // On a busy machine, it can take more than eight renewals until three successive intervals are similar.
  const isSteady = () => typeof getLiveness(key)?.nextRenewalExpectedAt === "number";
  while (renewals < 8 || !isSteady()) {
    await sleepMs(EVERY_MS);
    await direct.pexpire(key, LEASE_MS);
    renewals++;
    await waitUntil(() => getLiveness(key)?.renewals === renewals);
    // On a busy machine, the test itself may renew too late, which costs an additional read.
    if (performance.now() - renewedAt > 1.2 * EVERY_MS) overdue++;
    renewedAt = performance.now();
  }
  expect(getLiveness(key)?.state).toBe("alive");
  expect((await countReads()) - before).toBeLessThanOrEqual(renewals + overdue);
  await waitUntil(() => getLiveness(key)?.state === "overdue");
  expect((await countReads()) - before).toBeLessThanOrEqual(renewals + overdue + 1);
  expect(await collectLivenessUntilGone(key)).toEqual(["overdue"]);
}, 30_000);

it("a lock that is not renewed is read once when that becomes certain and again at its end", async ({
  lock: key,
  countReads,
  collectLivenessUntilGone,
}) => {
  const before = await countReads();
  expect(await collectLivenessUntilGone(key)).toEqual(["unknown", "not_renewing"]);
  // One read detects `not_renewing`. Up to three reads detect the end: one slightly early because Redis rounds the TTL,
  // one at the expiry, and one after the notification.
  expect((await countReads()) - before).toBeLessThanOrEqual(1 + 3);
});

it("a lock without a TTL is reported as such and not read again", async ({
  direct,
  lock: key,
  getLiveness,
  countReads,
}) => {
  await direct.persist(key);
  await waitUntil(() => getLiveness(key)?.state === "no_ttl");
  const before = await countReads();
  await sleepMs(LEASE_MS + 200);
  expect((await countReads()) - before).toBe(0);
  await direct.del(key);
});
