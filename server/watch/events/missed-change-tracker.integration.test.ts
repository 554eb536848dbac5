import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { expect } from "vitest";
import { watcherTest } from "../../../test/support/fixtures.ts";
import { waitUntil } from "../../../test/support/test-server.ts";

const FLAGS = "Kghszxe$";
const OWNER = "5f0c0c1e-0000-4000-8000-000000000001:1";

const it = watcherTest({ args: ["--notify-keyspace-events", FLAGS] }, { reconcileEveryMs: 300 });
it.beforeAll(async ({ watcher }) => await waitUntil(() => watcher.health().notifications === "on"));

/**
 * Runs the commands in one transaction with notifications turned off, so that Lockkeeper cannot detect the setting in
 * between.
 */
async function changeUnnotified(direct: Redis, ...commands: string[][]): Promise<void> {
  const all = direct.multi().config("SET", "notify-keyspace-events", "");
  for (const [name = "", ...args] of commands) all.call(name, ...args);
  await all.config("SET", "notify-keyspace-events", FLAGS).exec();
}

it("a change without a notification is found, corrected and counted by the next reconciliation", async ({
  direct,
  watcher,
}) => {
  const findHolder = (key: string) => watcher.index.get(key)?.seen.holders[0].owner;
  const sight = () => watcher.index.get("lock:stays")?.continuityId;
  for (const name of ["stays", "goes", "changes"]) await direct.hset(`lock:${name}`, OWNER, 1);
  await waitUntil(() => watcher.index.size === 3);
  const sightBefore = sight();
  const [other, third] = [OWNER.replace("1:1", "2:2"), OWNER.replace("1:1", "3:3")];
  await changeUnnotified(
    direct,
    ["HSET", "lock:comes", other, "1"],
    ["DEL", "lock:goes", "lock:changes"],
    ["HSET", "lock:changes", third, "1"],
  );
  await waitUntil(() => findHolder("lock:comes") === other);
  await waitUntil(() => findHolder("lock:goes") === undefined);
  await waitUntil(() => findHolder("lock:changes") === third);
  expect(sight()).toBe(sightBefore);
  const sum = ({ found, gone, changed } = watcher.missedChanges.counts) => found + gone + changed;
  await waitUntil(() => sum() === 3);
  const { lastAt, ...counts } = watcher.health().missed;
  expect(counts).toEqual({ found: 1, gone: 1, changed: 1 });
  expect(Math.abs((lastAt ?? 0) - Date.now())).toBeLessThan(10_000);
});

it("notified changes, Lockkeeper's own changes and ended holds are not counted as missed", {
  timeout: 20_000,
}, async ({ watcher, locks, direct }) => {
  const before = watcher.missedChanges.counts;
  const startedAt = performance.now();
  for (let turn = 0; performance.now() - startedAt < 2500; turn++) {
    const own = `lock:own:${turn % 7}`;
    const { grant } = await locks.acquire(own, {
      owner: "me",
      leaseMs: turn % 2 === 0 ? 820 : 20 + (turn % 3) * 20,
      waitMs: 100,
    });
    await watcher.readKey(own);
    if (turn % 2 === 0) await locks.release(grant);
    await watcher.readKey(own);
    const theirs = `lock:theirs:${turn % 5}`;
    if (turn % 3 === 0) await direct.del(theirs);
    else
      await direct
        .multi()
        .hset(theirs, `${OWNER}${turn % 4}`, 1)
        .pexpire(theirs, 30)
        .exec();
    await sleep(2);
  }
  await sleep(2500);
  expect(watcher.missedChanges.counts).toEqual(before);
});
