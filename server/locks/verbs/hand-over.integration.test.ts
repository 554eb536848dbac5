import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { countScriptCalls, countWaiters, sleepMs, type TestVerbs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { waitForWaiters } from "../../../test/support/wait-for-waiters.ts";
import { buildWaitersKey, buildWakeChannel } from "../../formats/keys.ts";
import { buildKeyspaceChannel } from "../waiting/key-endings.ts";

const it = locksTest();

/** Runs workers that keep the lock held until the signal aborts. Returns how often each worker held the lock. */
async function occupy(
  { acquire, locks }: TestVerbs,
  key: string,
  workers: number,
  stop: AbortSignal,
  onHold: () => void = () => undefined,
) {
  const work = async (_: unknown, worker: number) => {
    let holds = 0;
    for (; !stop.aborted; holds++) {
      const hold = await acquire(key, `worker-${worker}`, { format: "token", waitMs: 60_000 });
      onHold();
      await locks.release(hold);
    }
    return holds;
  };
  return await Promise.all(Array.from({ length: workers }, work));
}

it("waiters of one process take turns without a message for each hand-over", async ({ env, direct, key }) => {
  const heard: string[] = [];
  const listener = direct.duplicate();
  listener.on("message", (_, message) => heard.push(message));
  await listener.subscribe(String(buildWakeChannel(key)));
  const stop = new AbortController();
  let held = 0;
  const working = occupy(env, key, 10, stop.signal, () => {
    held++;
  });
  // Redis publishes only the last release of each series of hand-overs. 200 holds include several series.
  await waitUntil(() => heard.length >= 5 && held >= 200);
  stop.abort();
  const holds = await working;
  const all = holds.reduce((sum, each) => sum + each, 0);
  expect(Math.min(...holds)).toBeGreaterThan(0);
  await direct.publish(String(buildWakeChannel(key)), "last");
  await waitUntil(() => heard.includes("last"));
  expect(heard.length - 1).toBeLessThan(all);
  expect(await direct.exists(key, String(buildWaitersKey(key)))).toBe(0);
  listener.disconnect();
});

it("waiters of other processes and clients that poll get their turns beside a process that always wants the lock", async ({
  env,
  direct,
  key,
}) => {
  const [one, other] = [await env.openVerbs(), await env.openVerbs()];
  const stop = new AbortController();
  const working = [one, other].map((verbs) => occupy(verbs, key, 5, stop.signal));
  for (let turn = 0; turn < 3; turn++) {
    const hold = await env.acquire(key, "me", { format: "token", waitMs: 60_000 });
    await env.locks.release(hold);
  }
  const value = randomUUID();
  await waitUntil(async () => {
    await sleepMs(5 * Math.random());
    return (await direct.set(key, value, "PX", 60_000, "NX")) === "OK";
  });
  await direct.del(key);
  stop.abort();
  for (const holds of await Promise.all(working)) expect(Math.min(...holds)).toBeGreaterThan(0);
  await waitUntil(async () => (await countWaiters(direct, key)) === 0);
});

it("a waiter that died keeps the lock from nobody", async ({ acquire, direct, locks, key }) => {
  const held = await acquire(key, "me");
  const wait = acquire(key, "you", { waitMs: 60_000 });
  await waitUntil(async () => (await countWaiters(direct, key)) === 1);
  // A waiter that is first in the queue for longer than the lease.
  await direct.zadd(String(buildWaitersKey(key)), Date.now() + 600_000, "dead\t1000\tthem");
  await locks.release(held);
  expect((await wait).owner).toBe("you");
  expect(await countWaiters(direct, key)).toBe(0);
});

it("a lock that is taken again at once makes no waiter look", async ({ acquire, direct, key }) => {
  await direct.set(key, randomUUID());
  const wait = acquire(key, "you", { format: "token", waitMs: 60_000 });
  const channel = String(buildKeyspaceChannel(0, Buffer.from(key)));
  await waitUntil(async () => Number((await direct.pubsub("NUMSUB", channel))[1]) > 0);
  const heard: string[] = [];
  const listener = direct.duplicate();
  listener.on("message", (_, event) => heard.push(event));
  await listener.subscribe(channel);
  const replace = () => direct.multi().del(key).set(key, randomUUID()).exec();
  // Until the first notification arrives, a waiter polls.
  await replace();
  await waitUntil(() => heard.includes("set"));
  const before = await countScriptCalls(direct);
  for (let time = 0; time < 20; time++) await replace();
  await waitUntil(() => heard.filter((event) => event === "set").length > 20);
  // Timers may cause a few attempts.
  expect((await countScriptCalls(direct)) - before).toBeLessThan(10);
  await direct.del(key);
  expect((await wait).owner).toBe("you");
  listener.disconnect();
});

it("an aborted wait that was handed the lock passes it on", async ({ env, acquire, direct, locks, key }) => {
  const other = await env.openVerbs();
  for (let time = 0; time < 20; time++) {
    const held = await acquire(key, "me");
    const abort = new AbortController();
    const first = acquire(key, "first", { waitMs: 60_000 });
    await waitForWaiters(direct, key, 1);
    const second = acquire(key, "second", { waitMs: 60_000, signal: abort.signal }).catch(() => undefined);
    await waitForWaiters(direct, key, 2);
    const third = other.acquire(key, "third", { waitMs: 60_000 }).then((hold) => other.locks.release(hold));
    await waitForWaiters(direct, key, 3);
    await locks.release(held);
    const handedOver = locks.release(await first);
    abort.abort();
    await handedOver;
    const granted = await second;
    if (granted !== undefined) await locks.release(granted);
    await third;
    // A grant after the abort is withdrawn in the background.
    await waitUntil(async () => (await direct.exists(key)) === 0);
  }
});
