import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { createTestKey, getErrorCode, readCompanion, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { startTestRedis } from "../../../test/support/test-redis.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { campaign } from "./campaign.ts";
import { LockClient } from "./lock-client.ts";

const it = locksTest();

describe("Hold", () => {
  it("a hold outlives its lease under one fencing token while its process renews it", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 300 });
    await sleepMs(1000);
    hold.assertHeld();
    expect(hold.remainingMs()).toBeGreaterThan(0);
    expect((await readCompanion(direct, key))?.fence).toBe(hold.fence);
    expect(await hold.release()).toMatchObject({ outcome: "released" });
  });

  it("a hold without renewal ends with its lease: the signal aborts and assertHeld throws", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 200, renew: false });
    await waitUntil(() => hold.signal.aborted, 1000);
    await waitUntil(async () => (await direct.exists(key)) === 0, 1000);
    expect(hold.signal.reason).toMatchObject({ code: "lost" });
    expect(() => hold.assertHeld()).toThrow(LockkeeperError);
    expect((await hold.release()).outcome).toBe("not_held");
  });

  it("concurrent release calls of one hold lower the count only once", async ({ client, direct, key }) => {
    const outer = await client.acquire(key, { owner: "me" });
    const inner = await client.acquire(key, { owner: "me" });
    await Promise.all([inner.release(), inner.release(), inner.release()]);
    expect(await direct.hget(key, "me")).toBe("1");
    outer.assertHeld();
    await outer.release();
  });

  it("a hold is released by `await using`", async ({ client, direct, key }) => {
    {
      await using hold = await client.acquire(key);
      hold.assertHeld();
    }
    expect(await direct.exists(key)).toBe(0);
  });

  it("a deleted hold is reported as lost by the next renewal and not recreated", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 300 });
    await direct.del(key);
    await waitUntil(() => hold.signal.aborted, 1000);
    expect(hold.state).toBe("lost");
    await sleepMs(300);
    expect(await direct.exists(key)).toBe(0);
  });

  it("a hold is reported as lost when the same owner reacquired the lock", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 300, owner: "me" });
    await direct.del(key);
    await client.acquire(key, { leaseMs: 60_000, owner: "me", renew: false });
    await waitUntil(() => hold.signal.aborted, 1000);
  });

  it("a released hold is no longer renewed", async ({ client, direct, key }) => {
    const hold = await client.acquire(key, { leaseMs: 240, owner: "me" });
    await sleepMs(70);
    await hold.release();
    await client.acquire(key, { leaseMs: 400, owner: "you", renew: false });
    await waitUntil(async () => (await direct.exists(key)) === 0, 1000);
  });

  it("a failed renewal puts a hold in jeopardy; it is lost at its deadline, or held again if Redis returns earlier", async ({
    client,
    env,
  }) => {
    const jeopardy: string[] = [];
    const note = (name: string) => ({
      leaseMs: name === "long" ? 6000 : 900,
      onJeopardy: () => jeopardy.push(name),
    });
    const long = await client.acquire(createTestKey(), note("long"));
    const short = await client.acquire(createTestKey(), note("short"));
    await waitUntil(() => long.remainingMs() < 5000);
    env.redis.freeze();
    await waitUntil(() => short.signal.aborted, 2000);
    expect(jeopardy).toContain("short");
    env.redis.thaw();
    await waitUntil(() => long.state === "held" && long.remainingMs() > 4500, 5000);
    expect(long.signal.aborted).toBe(false);
    await long.release();
  });
});

describe("release with a lost reply", () => {
  it("a release repeated after a lost reply does not lower the count twice", async ({ env, direct, key }) => {
    const proxy = await startTestProxy(env.redis.port);
    const far = await LockClient.open(`redis://127.0.0.1:${proxy.port}`);
    const ask = { owner: "me", leaseMs: 60_000, renew: false };
    await far.acquire(key, ask);
    const inner = await far.acquire(key, ask);
    proxy.mode = "drop_replies";
    await expect(inner.release()).rejects.toMatchObject({ code: "unknown_outcome" });
    proxy.mode = "pass";
    expect(await inner.release()).toMatchObject({ outcome: "released", count: 1 });
    expect(await direct.hget(key, "me")).toBe("1");
    far.close();
    await proxy.stop();
  });
});

describe("renewal with a lost reply", () => {
  it("a renewal retried after a lost reply keeps the hold and counts from the retry", async ({ env }) => {
    const proxy = await startTestProxy(env.redis.port);
    const far = await LockClient.open(`redis://127.0.0.1:${proxy.port}`);
    const hold = await far.acquire(createTestKey(), { owner: "me", leaseMs: 1800, renew: false });
    // Redis knows the script from here on: the answer that is lost is that of a renewal that was carried out.
    await hold.renew();
    const deadline = performance.now() + hold.remainingMs();
    proxy.mode = "drop_replies";
    const renewing = hold.renew();
    // The second half of the lease has begun: taken off twice, the time of asking would be more than all of it.
    await sleepMs(1000);
    proxy.mode = "pass";
    await renewing;
    expect(hold.state).toBe("held");
    expect(performance.now() + hold.remainingMs()).toBeGreaterThan(deadline - 20);
    await hold.release();
    far.close();
    await proxy.stop();
  });
});

describe("withLock", () => {
  it("withLock releases the lock even when the work throws, and the work's error takes precedence", async ({
    client,
    direct,
    key,
  }) => {
    expect(await client.withLock(key, {}, async () => 7)).toBe(7);
    await expect(client.withLock(key, {}, () => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
    expect(await direct.exists(key)).toBe(0);
  });

  it("withLock re-enters within its own context and excludes every other context", async ({
    client,
    direct,
    key,
  }) => {
    await client.withLock(key, {}, async (outer) => {
      await client.withLock(key, {}, async (inner) => {
        expect([inner.count, inner.fence]).toEqual([2, outer.fence]);
        expect(await direct.hget(key, inner.owner)).toBe("2");
      });
      expect(await direct.hget(key, outer.owner)).toBe("1");
    });
    let inside = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        client.withLock(key, { waitMs: 10_000 }, async () => {
          expect(++inside).toBe(1);
          await sleepMs(1);
          inside--;
        }),
      ),
    );
  });

  it("parallel branches of one withLock context share the lock", async ({ client, direct, key }) => {
    await client.withLock(key, {}, async () => {
      const counts = await Promise.all(
        [1, 2].map(() => client.withLock(key, {}, async (hold) => hold.count)),
      );
      expect(counts.sort()).toEqual([2, 3]);
    });
    expect(await direct.exists(key)).toBe(0);
  });

  it("a non-reentrant acquire inside withLock is refused at once, which reveals self-deadlocks", async ({
    client,
    key,
  }) => {
    const inner = client.withLock(key, {}, () => getErrorCode(client.acquire(key, { reentrant: false })));
    expect(await inner).toBe("held");
  });
});

describe("counterparts of Java's Lock", () => {
  it("tryLock, tryLock(time), lock, lockInterruptibly and unlock have equivalents", async ({
    client,
    key,
  }) => {
    const held = await client.acquire(key, { owner: "a" });
    expect(await getErrorCode(client.acquire(key, { owner: "b" }))).toBe("held");
    expect(await getErrorCode(client.acquire(key, { owner: "b", waitMs: 100 }))).toBe("timeout");
    const interrupt = new AbortController();
    const interrupted = getErrorCode(
      client.acquire(key, { owner: "b", waitMs: Number.POSITIVE_INFINITY, signal: interrupt.signal }),
    );
    setTimeout(() => interrupt.abort(), 50);
    expect(await interrupted).toBe("aborted");
    const forever = client.acquire(key, { owner: "b", waitMs: Number.POSITIVE_INFINITY });
    setTimeout(() => void held.release(), 50);
    expect((await forever).owner).toBe("b");
    await (await forever).release();
  });

  it("the retry option waits with a fixed number of attempts and pauses", async ({ client, key }) => {
    const held = await client.acquire(key, { owner: "a" });
    const startedAt = performance.now();
    const retry = { tries: 3, pauseMs: 50, jitter: 0.1 };
    expect(await getErrorCode(client.acquire(key, { owner: "b", retry }))).toBe("held");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(85);
    setTimeout(() => void held.release(), 60);
    expect((await client.acquire(key, { owner: "b", retry })).owner).toBe("b");
  });
});

describe("watchdog", () => {
  it("the watchdog renews 1,000 holds with fewer than 100 script calls", async () => {
    const own = await startTestRedis();
    const many = await LockClient.open(own.url);
    const holds = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => many.acquire(`lock:${n}`, { leaseMs: 3000 })),
    );
    const calls = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await own.createClient().info("commandstats"))?.[1]);
    const before = await calls();
    await waitUntil(() => holds.every((hold) => hold.remainingMs() > 2100) === false);
    await sleepMs(2500);
    expect(holds.every((hold) => hold.state === "held")).toBe(true);
    expect((await calls()) - before).toBeLessThan(100);
    many.close();
    await own.stop();
  });
});

describe("campaign", () => {
  it("campaign elects one leader at a time, and another when the leader loses its lock or leaves", async ({
    client,
    direct,
    key,
  }) => {
    const ends = [new AbortController(), new AbortController()];
    const leading = new Set<number>();
    const terms: number[] = [];
    const lost: unknown[] = [];
    const runs = ends.map(({ signal }, instance) =>
      campaign(client, key, {
        signal,
        leaseMs: 300,
        onLost: (reason) => lost.push(reason),
        onElected: async (lead) => {
          leading.add(instance);
          terms.push(instance);
          expect(leading.size).toBe(1);
          await new Promise((resolve) => lead.addEventListener("abort", resolve, { once: true }));
          leading.delete(instance);
        },
      }),
    );
    await waitUntil(() => terms.length === 1);
    // Taken by somebody else: so the leader knows before another can lead.
    await direct.multi().del(key).hset(key, `${randomUUID()}:1`, 1).pexpire(key, 500).exec();
    await waitUntil(() => lost.length === 1);
    await waitUntil(() => terms.length === 2);
    ends[terms[1] ?? 0]?.abort();
    await waitUntil(() => terms.length === 3);
    expect(terms[2]).not.toBe(terms[1]);
    for (const end of ends) end.abort();
    await Promise.all(runs);
    expect(await direct.exists(key)).toBe(0);
  });
});
