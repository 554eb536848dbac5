import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { countWaiters, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { buildWaitersKey } from "../../formats/keys.ts";

const it = locksTest();

function blockEventLoop(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const ask = (owner: string, more = {}) => ({ owner, leaseMs: 30_000, ...more });

describe("one waiter", () => {
  it("a waiter is granted the lock within 500 ms of its release", async ({ acquire, direct, locks, key }) => {
    const held = await acquire(key, "me");
    const waits = acquire(key, "you", { waitMs: 10_000 });
    await waitUntil(async () => (await countWaiters(direct, key)) === 1);
    const releasedAt = performance.now();
    await locks.release(held);
    expect(await waits).toMatchObject({ owner: "you", count: 1 });
    expect(performance.now() - releasedAt).toBeLessThan(500);
    expect(await countWaiters(direct, key)).toBe(0);
  });

  it("a waiter is granted the lock when Redisson releases it", async ({ direct, acquire, key }) => {
    await direct.multi().hset(key, `${randomUUID()}:1`, 1).pexpire(key, 30_000).exec();
    const waits = acquire(key, "you", { waitMs: 10_000 });
    await waitUntil(async () => (await countWaiters(direct, key)) === 1);
    await direct.multi().del(key).publish(`redisson_lock__channel:{${key}}`, "0").exec();
    expect((await waits).owner).toBe("you");
  });

  it("a waiter is granted the lock when its lease expires without a message", async ({ acquire, key }) => {
    await acquire(key, "me", { leaseMs: 400 });
    const startedAt = performance.now();
    await acquire(key, "you", { waitMs: 5000 });
    expect(performance.now() - startedAt).toBeLessThan(900);
  });

  it("a waiter times out as configured with the holder in the error and leaves the waiting list", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    await acquire(key, "me");
    const startedAt = performance.now();
    const error: unknown = await locks
      .acquire(key, ask("you", { waitMs: 300 }))
      .catch((reason: unknown) => reason);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(295);
    expect(performance.now() - startedAt).toBeLessThan(800);
    expect(error).toMatchObject({ code: "timeout", facts: { holders: [{ owner: "me" }] } });
    await waitUntil(async () => (await countWaiters(direct, key)) === 0);
  });

  it("an aborted wait leaves no waiting entry and no subscription behind", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const held = await acquire(key, "me");
    const controller = new AbortController();
    const waits = getErrorCode(locks.acquire(key, ask("you", { waitMs: 10_000, signal: controller.signal })));
    await waitUntil(async () => (await countWaiters(direct, key)) === 1);
    controller.abort();
    expect(await waits).toBe("aborted");
    await waitUntil(async () => (await countWaiters(direct, key)) === 0);
    await waitUntil(
      async () =>
        ((await direct.call("PUBSUB", "CHANNELS", "redisson_lock__channel:*")) as string[]).length === 0,
    );
    await locks.release(held);
    expect(await direct.exists(key)).toBe(0);
  });

  it("a waiter survives a Redis restart", async ({ acquire, direct, env, key }) => {
    await acquire(key, "me");
    const waits = acquire(key, "you", { waitMs: 15_000 });
    await waitUntil(async () => (await countWaiters(direct, key)) === 1);
    await env.redis.kill();
    await env.redis.restart();
    expect((await waits).owner).toBe("you");
  });

  it("a waiter is listed once although a busy process took the first reply for lost", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    await acquire(key, "me");
    const controller = new AbortController();
    const waits = getErrorCode(locks.acquire(key, ask("you", { waitMs: 10_000, signal: controller.signal })));
    await new Promise(setImmediate);
    // Longer than the time limit of a command. The timers run before the reply is read.
    blockEventLoop(1100);
    await waitUntil(async () => (await countWaiters(direct, key)) > 0);
    await sleepMs(300);
    expect(await countWaiters(direct, key)).toBe(1);
    controller.abort();
    expect(await waits).toBe("aborted");
    await waitUntil(async () => (await countWaiters(direct, key)) === 0);
  });

  it("an acquire with a wait is refused at once for a key that is not a lock", async ({
    direct,
    locks,
    key,
  }) => {
    await direct.set(key, "x");
    expect(await getErrorCode(locks.acquire(key, ask("you", { waitMs: 5000 })))).toBe("not_a_lock");
  });
});

describe("many waiters", () => {
  it("all of 50 waiters are granted the lock one at a time, in order, with rising fencing tokens", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const held = await acquire(key, "me");
    const order: string[] = [];
    const fences: number[] = [];
    let inside = 0;
    const run = async (owner: string) => {
      const hold = await acquire(key, owner, { waitMs: 20_000 });
      expect(++inside).toBe(1);
      order.push(owner);
      fences.push(Number(hold.fence));
      inside--;
      await locks.release(hold);
    };
    const owners = Array.from({ length: 50 }, (_, n) => `owner-${n}`);
    const runs = owners.map(run);
    await waitUntil(async () => (await countWaiters(direct, key)) === 50);
    await locks.release(held);
    await Promise.all(runs);
    expect(order).toEqual(owners);
    expect(fences).toEqual([...fences].sort((a, b) => a - b));
    expect(await countWaiters(direct, key)).toBe(0);
  });
});

describe("repeated request ids while waiting", () => {
  it("a repeated waiting request keeps its place ahead of later waiters", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const held = await acquire(key, "me");
    expect(await getErrorCode(locks.acquire(key, ask("first", { waitMs: 100, requestId: "r1" })))).toBe(
      "timeout",
    );
    // Redis keeps the place of this client for a few seconds.
    const place = async () =>
      Number((await direct.zrange(String(buildWaitersKey(key)), "0", "0", "WITHSCORES"))[1]);
    await waitUntil(async () => (await place()) > Date.now() + 1000);
    const order: string[] = [];
    const later = acquire(key, "later", { waitMs: 10_000 }).then(() => order.push("later"));
    await waitUntil(async () => (await countWaiters(direct, key)) === 2);
    const first = acquire(key, "first", { waitMs: 10_000, requestId: "r1" }).then(async (hold) => {
      order.push("first");
      await locks.release(hold);
    });
    await sleepMs(50);
    expect(await countWaiters(direct, key)).toBe(2);
    await locks.release(held);
    await Promise.all([first, later]);
    expect(order).toEqual(["first", "later"]);
  });

  it("a repeated waiting request replaces the earlier one, which is aborted", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const held = await acquire(key, "me");
    const before = getErrorCode(locks.acquire(key, ask("you", { waitMs: 10_000, requestId: "r2" })));
    await waitUntil(async () => (await countWaiters(direct, key)) === 1);
    const after = acquire(key, "you", { waitMs: 10_000, requestId: "r2" });
    expect(await before).toBe("aborted");
    await locks.release(held);
    const { token, ...grant } = await after;
    expect(grant).toMatchObject({ owner: "you", count: 1 });
    expect(await direct.hgetall(key)).toEqual({ [token]: "1" });
  });
});
