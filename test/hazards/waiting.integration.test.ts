import { getEventListeners } from "node:events";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import { WAITERS_MAX } from "../../server/locks/verbs/acquirer.ts";
import { locksTest } from "../support/fixtures.ts";
import { forceReleaseByOwner } from "../support/force-release-by-owner.ts";
import { countScriptCalls, countWaiters, getErrorCode, WRITABLE_FORMATS } from "../support/test-locks.ts";
import { startTestProxy } from "../support/test-proxy.ts";
import { waitUntil } from "../support/test-server.ts";

// Notifications are off because waiting must not depend on them.
const it = locksTest({ args: ["--notify-keyspace-events", ""] });

const listChannels = async (redis: Redis, pattern: string) =>
  (await redis.pubsub("CHANNELS", pattern)) as string[];

async function tookMs(promise: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await promise;
  return performance.now() - startedAt;
}

describe("hazard 8: lost wake-ups", () => {
  it.for(WRITABLE_FORMATS)(
    "%s: a release between the first attempt and the subscription is noticed within 1 s",
    async (format, { env, acquire, direct, locks, key }) => {
      const proxy = await startTestProxy(env.redis.port);
      const far = await env.openVerbs(proxy.port);
      const hold = await acquire(key, "me", { format });
      proxy.stall("wake");
      const waits = far.acquire(key, "you", { format, waitMs: 10_000 });
      await waitUntil(async () => (await countWaiters(direct, key)) === 1);
      await locks.release(hold);
      proxy.stall(undefined);
      expect(await tookMs(waits)).toBeLessThan(1000);
      await proxy.stop();
    },
  );

  it("a waiter whose subscription broke retries as soon as it is restored", async ({
    acquire,
    direct,
    key,
  }) => {
    await acquire(key, "me");
    const waits = acquire(key, "you", { waitMs: 10_000 });
    await waitUntil(
      async () =>
        (await countWaiters(direct, key)) === 1 && (await listChannels(direct, `*${key}*`)).length === 2,
    );
    await direct.del(key);
    await direct.call("CLIENT", "KILL", "TYPE", "pubsub");
    expect(await tookMs(waits)).toBeLessThan(1000);
  });

  it.for(WRITABLE_FORMATS)(
    "%s: a force-release wakes a waiter like a normal release",
    async (format, { acquire, direct, locks, key }) => {
      const { token, fence } = await acquire(key, "me", { format });
      const waits = acquire(key, "you", { format, waitMs: 10_000 });
      await waitUntil(
        async () =>
          (await countWaiters(direct, key)) === 1 && (await listChannels(direct, `*${key}*`)).length === 2,
      );

      await forceReleaseByOwner(locks, key, format, { token, fence, by: "mei", reason: "stuck" });
      expect(await tookMs(waits)).toBeLessThan(1000);
    },
  );
});

describe.concurrent("hazard 9: independence from keyspace notifications", () => {
  it.for(WRITABLE_FORMATS)(
    "%s: a waiter finds an expired lease while keyspace notifications are off",
    async (format, { acquire, direct, key }) => {
      await acquire(key, "me", { format, leaseMs: 300 });
      const waits = acquire(key, "you", { format, waitMs: 10_000 });
      await waitUntil(async () => (await countWaiters(direct, key)) === 1);
      expect(await direct.config("GET", "notify-keyspace-events")).toEqual(["notify-keyspace-events", ""]);
      expect(await tookMs(waits)).toBeLessThan(1000);
    },
  );

  it("a waiter's periodic retry finds a deleted lock within 3 s without any message", async ({
    acquire,
    direct,
    key,
  }) => {
    await acquire(key, "me");
    const waits = acquire(key, "you", { waitMs: 10_000 });
    await waitUntil(async () => (await countWaiters(direct, key)) === 1);
    await direct.del(key);
    expect(await tookMs(waits)).toBeLessThan(3000);
  });
});

describe("hazard 10: thundering herd", () => {
  it("a release makes only one of 40 waiters in a process retry", async ({ acquire, locks, direct, key }) => {
    const crowd = 40;
    const hold = await acquire(key, "me");
    const turns = Array.from({ length: crowd }, async (_, n) => {
      await locks.release(await acquire(key, `owner-${n}`, { waitMs: 20_000 }));
    });
    await waitUntil(
      async () =>
        (await countWaiters(direct, key)) === crowd && (await listChannels(direct, `*${key}*`)).length === 2,
    );
    const before = await countScriptCalls(direct);
    await locks.release(hold);
    await Promise.all(turns);
    // Each turn takes an attempt and a release. A few more attempts come from waiters whose retry interval has passed.
    expect((await countScriptCalls(direct)) - before).toBeLessThan(2 * crowd + 10);
  });

  it("two waits of the same owner are granted one after the other", async ({
    acquire,
    direct,
    locks,
    key,
  }) => {
    const hold = await acquire(key, "me");
    const both = [1, 2].map(() => acquire(key, "you", { waitMs: 10_000 }));
    await waitUntil(
      async () =>
        (await countWaiters(direct, key)) === 2 && (await listChannels(direct, `*${key}*`)).length === 2,
    );
    await locks.release(hold);
    const startedAt = performance.now();
    const first = await Promise.race(both);
    expect(first.count).toBe(1);
    expect(await countWaiters(direct, key)).toBe(1);
    await locks.release(first);
    const [one, two] = await Promise.all(both);
    expect([one?.count, two?.count]).toEqual([1, 1]);
    expect(one?.token).not.toBe(two?.token);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it("a release makes one waiter per process retry", async ({ env, acquire, direct, locks, key }) => {
    const processes = [env, await env.openVerbs(), await env.openVerbs()];
    const hold = await acquire(key, "me");
    const given = new AbortController();
    const waits = processes.flatMap(({ acquire }, n) =>
      Array.from({ length: 20 }, (_, m) =>
        getErrorCode(acquire(key, `owner-${n}-${m}`, { waitMs: 20_000, signal: given.signal })),
      ),
    );
    await waitUntil(async () => (await countWaiters(direct, key)) === waits.length);
    await waitUntil(async () => {
      const [, listeners] = (await direct.pubsub("NUMSUB", ...(await listChannels(direct, `*${key}*`)))) as [
        string,
        number,
      ];
      return listeners === processes.length;
    });
    const before = await countScriptCalls(direct);
    await locks.release(hold);
    await waitUntil(async () => (await countScriptCalls(direct)) - before >= 1 + processes.length);
    expect((await countScriptCalls(direct)) - before).toBeLessThan(1 + 2 * processes.length + 3);
    given.abort();
    await Promise.all(waits);
  });
});

describe("hazard 26: unbounded waiters", () => {
  it("a wait beyond the limit of waiters is refused at once as queue_full", async ({
    acquire,
    direct,
    key,
  }) => {
    await acquire(key, "me");
    const given = new AbortController();
    const waits = Array.from({ length: WAITERS_MAX }, (_, n) =>
      getErrorCode(acquire(key, `owner-${n}`, { waitMs: 20_000, signal: given.signal })),
    );
    await waitUntil(async () => (await countWaiters(direct, key)) === WAITERS_MAX);
    const refused: unknown = await acquire(key, "one-more", { waitMs: 20_000 }).catch((reason) => reason);
    expect(refused).toMatchObject({ code: "queue_full", facts: { waiting: WAITERS_MAX } });
    given.abort();
    expect(new Set(await Promise.all(waits))).toEqual(new Set(["aborted"]));
    await waitUntil(async () => (await countWaiters(direct, key)) === 0);
  });

  it("waits that were granted, timed out or aborted leave no listener, timer, subscription or key", async ({
    env,
    direct,
    key,
  }) => {
    const own = await env.openVerbs();
    const given = new AbortController();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = {
      timers: timers(),
      ready: own.connection.listenerCount("ready"),
    };
    const { acquire, locks } = own;
    for (let round = 0; round < 10; round++) {
      const { signal } = given;
      const hold = await acquire(key, "me");
      const timedOut = Array.from({ length: 100 }, (_, n) =>
        getErrorCode(acquire(key, `late-${n}`, { waitMs: 5 + n, signal })),
      );
      const called = new AbortController();
      const aborted = Array.from({ length: 100 }, (_, n) =>
        getErrorCode(acquire(key, `off-${n}`, { waitMs: 20_000, signal: called.signal })),
      );
      expect(new Set(await Promise.all(timedOut))).toEqual(new Set(["timeout"]));
      called.abort();
      expect(new Set(await Promise.all(aborted))).toEqual(new Set(["aborted"]));
      const granted = Array.from({ length: 100 }, async (_, n) => {
        await locks.release(await acquire(key, `turn-${n}`, { waitMs: 20_000, signal }));
      });
      await locks.release(hold);
      await Promise.all(granted);
    }
    expect(getEventListeners(given.signal, "abort")).toEqual([]);
    await waitUntil(
      async () =>
        (await countWaiters(direct, key)) === 0 && (await listChannels(direct, `*${key}*`)).length === 0,
    );
    await waitUntil(() => timers() <= before.timers);
    expect(own.connection.listenerCount("ready")).toBe(before.ready);
    // Only the companion may remain. Listing only this key's names avoids keys of other tests.
    expect(await direct.keys(`*${key}*`)).toEqual([String(buildCompanionKey(key))]);
  });
});
