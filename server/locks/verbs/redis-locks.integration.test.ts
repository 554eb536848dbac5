import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { forceReleaseByOwner } from "../../../test/support/force-release-by-owner.ts";
import { catchLockError, sleepMs } from "../../../test/support/test-locks.ts";
import { HeldError } from "../../errors/lock-errors.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { buildCompanionKey, buildFencedCounterKey } from "../../formats/keys.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";

const it = locksTest();

const ask = (owner: string, more = {}) => ({ owner, leaseMs: 30_000, reentrant: true, ...more });

describe("acquire", () => {
  it("acquire writes exactly the fields Redisson writes", async ({ acquire, direct, key }) => {
    await acquire(key, "me", { record: { service: "checkout" } });
    expect(await direct.hgetall(key)).toEqual({ me: "1" });
    expect(await direct.pttl(key)).toBeGreaterThan(29_000);
  });

  it("a re-entry is counted in Redis, keeps the fencing token and never shortens the lease", async ({
    acquire,
    direct,
    key,
  }) => {
    const first = await acquire(key, "me", { leaseMs: 60_000 });
    const second = await acquire(key, "me", { leaseMs: 1000 });
    expect(second.count).toBe(2);
    expect(second.fence).toBe(first.fence);
    expect(second.remainingMs).toBeGreaterThan(50_000);
    expect(await direct.hget(key, "me")).toBe("2");
  });

  it("an acquire by another owner is refused with the holder and the remaining lease", async ({
    acquire,
    locks,
    key,
  }) => {
    await acquire(key, "me", { record: { service: "checkout" } });
    const refusal = await catchLockError(locks.acquire(key, ask("you")));
    if (!(refusal instanceof HeldError)) throw refusal;
    expect(refusal.code).toBe("held");
    expect(refusal.facts).toMatchObject({
      holders: [{ owner: "me", count: 1, record: { service: "checkout" } }],
    });
    expect(refusal.facts.remainingMs).toBeGreaterThan(29_000);
  });

  it("a non-reentrant acquire by the same owner is refused", async ({ acquire, locks, direct, key }) => {
    await acquire(key, "me");
    expect((await catchLockError(locks.acquire(key, ask("me", { reentrant: false })))).code).toBe("held");
    expect(await direct.hget(key, "me")).toBe("1");
  });

  it("every new hold has a larger fencing token, even after a manual DEL and FLUSHALL", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const fences = [Number((await acquire(key, "a")).fence)];
    await locks.release(key, { owner: "a" });
    fences.push(Number((await acquire(key, "b")).fence));
    await direct.del(key);
    fences.push(Number((await acquire(key, "c")).fence));
    await direct.flushall();
    fences.push(Number((await acquire(key, "d")).fence));
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  });

  it("a new fencing token exceeds a stored one that is ahead of the server clock", async ({
    direct,
    acquire,
    key,
  }) => {
    const ahead = Date.now() * 1000 + 3_600_000_000;
    await direct.set(String(buildCompanionKey(key)), ["", "", 0, ahead, 0, 0, 0, 0, 0, "", ""].join("\n"));
    expect((await acquire(key, "me")).fence).toBe(String(ahead + 1));
  });

  it("fencing tokens share one rising sequence with Redisson's fenced lock", async ({
    direct,
    acquire,
    key,
  }) => {
    const ahead = Date.now() * 1000 + 3_600_000_000;
    const counter = String(buildFencedCounterKey(key));
    await direct.set(counter, String(ahead));
    expect((await acquire(key, "me")).fence).toBe(String(ahead + 1));
    expect(await direct.get(counter)).toBe(String(ahead + 1));
  });

  it("the companion key outlives the lease by 10 minutes", async ({ acquire, direct, key }) => {
    await acquire(key, "me", { leaseMs: 10_000 });
    const ttl = await direct.pttl(String(buildCompanionKey(key)));
    expect(ttl).toBeGreaterThan(605_000);
    expect(ttl).toBeLessThanOrEqual(610_000);
  });

  it("a re-entry of a Redisson hold raises its count and returns no fencing token", async ({
    direct,
    acquire,
    key,
  }) => {
    const owner = `${randomUUID()}:42`;
    await direct.hset(key, owner, 1);
    await direct.pexpire(key, 20_000);
    const grant = await acquire(key, owner);
    expect(grant).toMatchObject({ count: 2, fence: null });
  });

  it.for<[string, (direct: Redis, key: string) => Promise<unknown>]>([
    ["a string", (direct, key) => direct.set(key, "x")],
    ["a list", (direct, key) => direct.rpush(key, "x")],
    ["an unrelated hash", (direct, key) => direct.hset(key, "name", "Ada")],
    ["an unrelated hash with the owner as a field", (direct, key) => direct.hset(key, "me", "5")],
    [
      "a hash too large to be a lock",
      (direct, key) =>
        direct.hset(
          key,
          Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${randomUUID()}:${n}`, "1"])),
        ),
    ],
  ])(
    "every verb reports not_a_lock for %s and leaves it unchanged",
    async ([_, write], { direct, locks, key }) => {
      await write(direct, key);
      const before = await direct.dump(key);
      for (const attempt of [
        () => locks.acquire(key, ask("me")),
        () => locks.renew(key, { owner: "me", leaseMs: 1000 }),
        () => locks.release(key, { owner: "me" }),
        () => forceReleaseByOwner(locks, key, "redisson", { owner: "me", fence: null, by: "x", reason: "y" }),
      ]) {
        const outcome = await attempt().then(
          (reply) => ("outcome" in reply ? reply.outcome : "granted"),
          (error) => (error instanceof LockkeeperError ? error.code : String(error)),
        );
        expect(outcome).toBe("not_a_lock");
      }
      expect(await direct.dump(key)).toBe(before);
      expect(await direct.pttl(key)).toBe(-1);
    },
  );

  it("exactly one of 50 concurrent acquires is granted", async ({ acquire, key }) => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        acquire(key, `owner-${n}`).then(
          () => "granted",
          () => "held",
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "granted")).toHaveLength(1);
  });
});

describe("renew", () => {
  it("renew extends a hold, keeps the fencing token and never shortens the lease", async ({
    acquire,
    locks,
    key,
  }) => {
    const { fence } = await acquire(key, "me", { leaseMs: 5000 });
    expect(await locks.renew(key, { owner: "me", leaseMs: 20_000 })).toMatchObject({
      fence,
      remainingMs: 20_000,
    });
    expect((await locks.renew(key, { owner: "me", leaseMs: 1000 })).remainingMs).toBeGreaterThan(19_000);
  });

  it("renew never creates a lock", async ({ locks, direct, key }) => {
    expect((await catchLockError(locks.renew(key, { owner: "me", leaseMs: 1000 }))).code).toBe("lost");
    expect(await direct.exists(key)).toBe(0);
  });

  it("renew of a lost lock names its current holder", async ({ acquire, locks, key }) => {
    await acquire(key, "you");
    const refusal = await catchLockError(locks.renew(key, { owner: "me", leaseMs: 1000 }));
    expect(refusal.code).toBe("lost");
    expect(refusal.facts).toMatchObject({ holders: [{ owner: "you" }] });
  });
});

describe("release", () => {
  it("each release lowers the count by one, and the last one deletes the lock", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    await acquire(key, "me");
    await acquire(key, "me");
    expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "released", count: 1 });
    expect(await direct.hgetall(key)).toEqual({ me: "1" });
    expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "released", count: 0 });
    expect(await direct.exists(key)).toBe(0);
  });

  it("release of a free lock or another owner's lock returns not_held and changes nothing", async ({
    locks,
    acquire,
    direct,
    key,
  }) => {
    expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "not_held" });
    await acquire(key, "you");
    expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "not_held" });
    expect(await direct.hgetall(key)).toEqual({ you: "1" });
  });

  it("release wakes Redisson waiters with one 0, and only when the lock becomes free", async ({
    env,
    acquire,
    locks,
    key,
  }) => {
    const messages: string[] = [];
    const listener = env.redis.createClient();
    await listener.subscribe(`redisson_lock__channel:{${key}}`);
    listener.on("message", (_, message: string) => messages.push(message));
    await acquire(key, "me");
    await acquire(key, "me");
    await locks.release(key, { owner: "me" });
    await locks.release(key, { owner: "me" });
    await expect.poll(() => messages).toEqual(["0"]);
  });
});

describe("repeated request ids", () => {
  it("a repeated acquire is granted once", async ({ acquire, direct, key }) => {
    const first = await acquire(key, "me", { requestId: "r1" });
    await acquire(key, "me", { requestId: "r2" });
    const replay = await acquire(key, "me", { requestId: "r1" });
    expect(replay).toMatchObject({ count: 2, fence: first.fence });
    expect(await direct.hget(key, "me")).toBe("2");
  });

  it("a repeated acquire returns lost once its hold has ended, even if the same owner reacquired the lock", async ({
    acquire,
    locks,
    key,
  }) => {
    await acquire(key, "me", { requestId: "r1" });
    await locks.release(key, { owner: "me" });
    expect((await catchLockError(locks.acquire(key, ask("me", { requestId: "r1" })))).code).toBe("lost");
    await acquire(key, "me", { requestId: "r2" });
    expect((await catchLockError(locks.acquire(key, ask("me", { requestId: "r1" })))).code).toBe("lost");
  });

  it("a repeated release is carried out once", async ({ acquire, locks, direct, key }) => {
    await acquire(key, "me");
    await acquire(key, "me");
    await locks.release(key, { owner: "me", requestId: "r1" });
    expect(await locks.release(key, { owner: "me", requestId: "r1" })).toMatchObject({
      outcome: "released",
      count: 1,
    });
    expect(await direct.hget(key, "me")).toBe("1");
  });

  it("a repeated release that found nothing never releases a later hold", async ({
    locks,
    acquire,
    direct,
    key,
  }) => {
    await locks.release(key, { owner: "me", requestId: "r1" });
    await acquire(key, "me");
    expect(await locks.release(key, { owner: "me", requestId: "r1" })).toMatchObject({ outcome: "not_held" });
    expect(await direct.hget(key, "me")).toBe("1");
  });

  it("a request id reused for another verb, owner or body is refused", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    await acquire(key, "me", { requestId: "r1" });
    for (const other of [
      locks.acquire(key, ask("you", { requestId: "r1" })),
      locks.acquire(key, ask("me", { requestId: "r1", leaseMs: 999 })),
      locks.renew(key, { owner: "me", leaseMs: 30_000, requestId: "r1" }),
      locks.release(key, { owner: "me", requestId: "r1" }),
    ]) {
      expect((await catchLockError(other)).code).toBe("request_id_reused");
    }
    expect(await direct.hgetall(key)).toEqual({ me: "1" });
  });
});

describe("stale or invalid companion keys", () => {
  const native = `${randomUUID()}:7`;

  it("a stale companion key is not attributed to a hold the same owner acquired without Lockkeeper", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const { fence } = await acquire(key, native);
    await locks.release(key, { owner: native });
    await direct.multi().hset(key, native, 1).pexpire(key, 30_000).exec();
    expect((await locks.verify(key, { owner: native })).fence).toBeNull();
    expect((await acquire(key, native)).fence).toBeNull();
    const reply = await forceReleaseByOwner(locks, key, "redisson", {
      owner: native,
      fence,
      by: "mei",
      reason: "stuck",
    });
    expect(reply.outcome).toBe("changed");
  });

  it("a hold whose companion key was deleted can still be renewed and released", async ({
    acquire,
    direct,
    locks,
    key,
  }) => {
    await acquire(key, "me");
    await direct.del(String(buildCompanionKey(key)));
    expect(await locks.renew(key, { owner: "me", leaseMs: 60_000 })).toMatchObject({ count: 1, fence: null });
    expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "released" });
  });

  it.for<[string, (direct: Redis, companion: string) => Promise<unknown>]>([
    ["a string", (direct, companion) => direct.set(companion, "x")],
    [
      "an unparsable value",
      (direct, companion) =>
        direct.set(companion, "me\n\n-1e400\nabc\nzz\nNaN\n0\n0\n-1\nredisson\n{}\n\t\n"),
    ],
    [
      "numbers out of range",
      (direct, companion) =>
        direct.set(companion, `me\n\n${"9".repeat(400)}\n1\n${"9".repeat(30)}\n1\n1\n1\n1\nredisson\n{`),
    ],
    ["a hash", (direct, companion) => direct.multi().del(companion).hset(companion, "owner", "me").exec()],
  ])(
    "a lock with a companion key that holds %s can still be acquired, and no hold is half-written",
    async ([_, spoil], { acquire, locks, direct, key }) => {
      await spoil(direct, String(buildCompanionKey(key)));
      expect(await acquire(key, "me")).toMatchObject({ count: 1, fence: expect.stringMatching(/^\d{16}$/) });
      await spoil(direct, String(buildCompanionKey(key)));
      expect(["released", "not_a_lock"]).toContain(
        (await locks.release(key, { owner: "me" }).catch((error) => ({ outcome: error.code }))).outcome,
      );
    },
  );
});

describe("hashes that resemble a lock", () => {
  it.for<[string, owner: string, count: string]>([
    ["a count out of range", `${randomUUID()}:1`, "9".repeat(20)],
    ["an owner of 1 MB", `${randomUUID()}:${"1".repeat(1_000_000)}`, "1"],
  ])(
    "a hash with %s is not a lock and is left unchanged",
    async ([_, owner, count], { direct, locks, key }) => {
      await direct.hset(key, owner, count);
      expect((await catchLockError(locks.acquire(key, ask("me")))).code).toBe("not_a_lock");
      expect(await direct.hget(key, owner)).toBe(count);
      expect((await catchLockError(locks.verify(key, { owner: "me" }))).code).toBe("not_a_lock");
    },
  );
});

describe("Redisson read/write locks", () => {
  it("a Redisson read/write lock blocks acquire and is not changed by any verb", async ({
    direct,
    locks,
    key,
  }) => {
    const reader = `${randomUUID()}:7`;
    await direct
      .multi()
      .hset(key, { mode: "read", [reader]: 1 })
      .pexpire(key, 30_000)
      .exec();
    const before = await direct.dump(key);
    expect((await catchLockError(locks.acquire(key, ask("me")))).code).toBe("held");
    expect((await catchLockError(locks.release(key, { owner: reader }))).code).toBe("not_a_lock");
    expect((await catchLockError(locks.renew(key, { owner: reader, leaseMs: 1000 }))).code).toBe(
      "not_a_lock",
    );
    expect(await direct.dump(key)).toBe(before);
  });
});

describe("retries after a lost reply", () => {
  it("a retry returns unknown and is not executed when its first attempt may have left the request window", async ({
    acquire,
    direct,
    key,
    env,
  }) => {
    await acquire(key, "me");
    const first = { owner: "me", id: "lost", digest: "-" };
    for (let n = 0; n < 120; n++) await acquire(key, "me");
    expect(
      await LOCK_WRITERS.redisson.release(env.connection, "none", key, { ...first, retryMs: 5000 }),
    ).toEqual({
      outcome: "unknown",
    });
    expect(await direct.hget(key, "me")).toBe("121");
  });

  it("a retry returns the original result while its first attempt is in the request window, also after 12 losses", async ({
    acquire,
    direct,
    key,
    env,
  }) => {
    await acquire(key, "me");
    const lost = Array.from({ length: 12 }, (_, n) => ({
      owner: "me",
      id: `lost-${n}`,
      digest: "-",
      leaseMs: 30_000,
      reentrant: true,
      record: undefined,
      graceMs: 0,
      minHoldMs: 0,
      unit: "ms" as const,
    }));
    for (const each of lost) await LOCK_WRITERS.redisson.acquire(env.connection, "none", key, each);
    for (const each of lost) {
      const again = await LOCK_WRITERS.redisson.acquire(env.connection, "none", key, {
        ...each,
        retryMs: 5000,
      });
      expect(again.outcome).toBe("granted");
    }
    expect(await direct.hget(key, "me")).toBe("13");
  });

  it("a retry first sent after all recorded requests is executed, however many there are", async ({
    acquire,
    key,
    env,
  }) => {
    await acquire(key, "me");
    for (let n = 0; n < 120; n++) await acquire(key, "me");
    await sleepMs(60);
    const first = { owner: "me", id: "lost", digest: "-" };
    expect(
      (await LOCK_WRITERS.redisson.release(env.connection, "none", key, { ...first, retryMs: 30 })).outcome,
    ).toBe("released");
  });

  it("a retry whose first attempt was never recorded is executed", async ({ acquire, key, env }) => {
    await acquire(key, "me");
    const first = { owner: "me", id: "lost", digest: "-" };
    expect(
      (await LOCK_WRITERS.redisson.release(env.connection, "none", key, { ...first, retryMs: 500 })).outcome,
    ).toBe("released");
  });
});

describe("force-release", () => {
  it("force-release ends the hold that was seen, wakes Redisson waiters once and keeps the fencing token rising", async ({
    env,
    acquire,
    locks,
    direct,
    key,
  }) => {
    const messages: string[] = [];
    const listener = env.redis.createClient();
    await listener.subscribe(`redisson_lock__channel:{${key}}`);
    listener.on("message", (_, message: string) => messages.push(message));
    const { fence } = await acquire(key, "me");
    const reply = await forceReleaseByOwner(locks, key, "redisson", {
      owner: "me",
      fence,
      by: "mei",
      reason: "stuck",
    });
    expect(reply.outcome).toBe("released");
    expect(await direct.exists(key)).toBe(0);
    await expect.poll(() => messages).toEqual(["0"]);
    expect(Number((await acquire(key, "you")).fence)).toBeGreaterThan(Number(fence));
  });

  it("force-release changes nothing when the same owner reacquired the lock", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const { fence } = await acquire(key, "me");
    await locks.release(key, { owner: "me" });
    await acquire(key, "me");
    const reply = await forceReleaseByOwner(locks, key, "redisson", {
      owner: "me",
      fence,
      by: "mei",
      reason: "stuck",
    });
    expect(reply.outcome).toBe("changed");
    expect(await direct.hgetall(key)).toEqual({ me: "1" });
  });

  it("force-release never ends the wrong hold in 1,000 races with a changing holder", async ({
    env,
    acquire,
    locks,
    direct,
    key,
  }) => {
    const { locks: operator } = await env.openVerbs();
    let wrong = 0;
    let freed = 0;
    for (let round = 0; round < 1000; round++) {
      const { fence } = await acquire(key, "a");
      const change = async () => {
        await locks.release(key, { owner: "a" });
        await locks.acquire(key, ask("b"));
      };
      const free = () =>
        forceReleaseByOwner(operator, key, "redisson", { owner: "a", fence, by: "mei", reason: "race" });
      const [first, second] = round % 2 === 0 ? [change, free] : [free, change];
      const begun = first();
      if (round % 4 > 1) await new Promise((resolve) => setImmediate(resolve));
      const replies = await Promise.all([begun, second()]);
      if ((await direct.hget(key, "b")) !== "1") wrong++;
      if (replies.some((reply) => reply?.outcome === "released")) freed++;
      await direct.del(key);
    }
    expect(wrong).toBe(0);
    expect(freed).toBeGreaterThan(0);
    expect(freed).toBeLessThan(1000);
  });
});

describe("key_not_allowed", () => {
  it.for([
    "orders:1",
    "lockkeeper:hold:{x}",
    "{lockkeeper}:home",
    "lock:}a{b",
    "lock:{open",
    "lock:{}x",
    "redisson_lock_queue:{lock:1}",
  ])("acquire refuses the key %s as key_not_allowed", async (key, { locks, direct }) => {
    expect((await catchLockError(locks.acquire(key, ask("me")))).code).toBe("key_not_allowed");
    expect(await direct.exists(key)).toBe(0);
  });

  it("a key with a hash tag can be locked, and its companion key shares the tag's slot", async ({
    acquire,
    direct,
  }) => {
    const key = `lock:{tag-${randomUUID()}}:1`;
    await acquire(key, "me");
    expect(await direct.exists(`lockkeeper:hold:${key.slice(5, -2)}:${key}`)).toBe(1);
  });
});
