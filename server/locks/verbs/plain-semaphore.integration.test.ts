import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { RedissonPlainSemaphore } from "../../../test/support/redisson-plain-semaphore.ts";
import { createTakePermits, semaphoreTest } from "../../../test/support/semaphore-fixture.ts";
import { catchLockError, createTestKey, getErrorCode } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { buildPlainPermitsKey } from "../../formats/keys.ts";
import { computePermitIds } from "../../formats/redisson/permit-ids.ts";
import { buildPermitsKey } from "../../formats/redisson/redisson-keys.ts";

const it = semaphoreTest("plain_semaphore").extend(
  "openJvm",
  { scope: "file" },
  ({ direct }) =>
    (key: string) =>
      new RedissonPlainSemaphore(direct, key),
);
const getPermitsKey = (key: string) => String(buildPlainPermitsKey(key));

describe("acquire and release", () => {
  it("creates a missing semaphore with the limit, which an existing one is not compared with", async ({
    take,
    locks,
    readState,
    openJvm,
    key,
  }) => {
    expect(await catchLockError(take(key))).toMatchObject({ code: "limit_conflict", facts: { limit: null } });
    const first = await take(key, 2, { limit: 5 });
    expect(first).toMatchObject({ key, kind: "plain_semaphore", count: 2, owner: "me" });
    expect(await readState(key)).toEqual({ available: "3", acquired: 2 });
    await openJvm(key).addPermits(4);
    const second = await take(key, 6, { limit: 50 });
    expect(Number(second.fence)).toBeGreaterThan(Number(first.fence));
    expect(await locks.verify(second)).toMatchObject({ held: true, count: 6 });
    for (const hold of [first, second])
      expect(await locks.release(hold)).toMatchObject({ outcome: "released", count: 0 });
    expect(await readState(key)).toEqual({ available: "9", acquired: 0 });
  });

  it("a refusal states the available permits, and no total", async ({ take, openJvm, key }) => {
    await openJvm(key).trySetPermits(3);
    expect(await openJvm(key).tryAcquire(2)).toBe(true);
    const refusal = await catchLockError(take(key, 2));
    expect(refusal).toMatchObject({ code: "held", facts: { permits: { available: 1, total: null } } });
    expect(refusal.message).toContain("has 1 permits available");
  });

  it("renews all permits of many holds in one script", async ({ take, locks, direct, key }) => {
    const holds = [await take(key, 2, { limit: 9, leaseMs: 1000 }), await take(key, 1, { leaseMs: 1000 })];
    const renewed = await locks.renewHolds(holds.map((hold) => ({ ...hold, leaseMs: 60_000 })));
    expect(renewed.map((each) => each.status === "fulfilled" && each.value.count)).toEqual([2, 1]);
    const scores = await direct.zrange(getPermitsKey(key), "0", "-1", "WITHSCORES");
    const now = Number((await direct.time())[0]) * 1000;
    for (const score of scores.filter((_, at) => at % 2 === 1))
      expect(Number(score)).toBeGreaterThan(now + 50_000);
  });

  it("a repeated request returns the same hold from any client", async ({
    take,
    other,
    locks,
    readState,
    key,
  }) => {
    const named = { requestId: randomUUID(), principal: "key_1", limit: 4 };
    const hold = await take(key, 2, named);
    expect(await other(key, 2, named)).toMatchObject({ token: hold.token, fence: hold.fence, count: 2 });
    expect(await getErrorCode(other(key, 3, named))).toBe("idempotency_key_reused");
    expect(await getErrorCode(locks.release({ ...hold, principal: "key_2" }))).toBe("not_owner");
    expect(await readState(key)).toEqual({ available: "2", acquired: 2 });
  });

  it("options that a semaphore does not have are invalid", async ({ take, locks, key }) => {
    for (const more of [{ limit: 3, graceMs: 10 }, { limit: 0 }, { format: "token" }] as const)
      expect(await getErrorCode(take(key, 1, more))).toBe("invalid");
    const hold = await take(key, 1, { limit: 2 });
    expect(await getErrorCode(locks.reenter(hold))).toBe("invalid");
    expect(await getErrorCode(locks.release(hold, { reservedMs: 1000 }))).toBe("invalid");
  });
});

describe("other data at the key", () => {
  it("refuses a key of another type, and changes nothing", async ({ take, direct, key }) => {
    const other = createTestKey();
    await direct.hset(key, "field", "1");
    await direct.set(other, "owner-1");
    for (const each of [key, other])
      expect(await getErrorCode(take(each, 1, { limit: 3 }))).toBe("not_a_lock");
    expect(await direct.hgetall(key)).toEqual({ field: "1" });
    expect(await direct.get(other)).toBe("owner-1");
  });

  it("refuses the other kind of semaphore while its permits are acquired", async ({
    take,
    locks,
    direct,
    key,
  }) => {
    const takeExpirable = createTakePermits(locks);
    const expirable = await takeExpirable(key, 1, { limit: 3 });
    const refusal = await catchLockError(take(key, 1, { limit: 3 }));
    expect(refusal).toMatchObject({ code: "kind_conflict", facts: { kind: "semaphore" } });
    await locks.release(expirable);
    await take(key, 1);
    for (const each of [takeExpirable(key, 1, { limit: 3 }), locks.setLimit(key, 2)]) {
      const other = await catchLockError(each);
      expect(other).toMatchObject({ code: "kind_conflict", facts: { kind: "plain_semaphore" } });
    }
    expect(await getErrorCode(locks.latches.countDown(key))).toBe("kind_conflict");
    expect(await getErrorCode(locks.acquire(key, { owner: "me", leaseMs: 1000 }))).toBe("kind_conflict");
    expect(await direct.get(key)).toBe("2");
  });

  it("a permits key of another type makes the semaphore unusable, and is not changed", async ({
    take,
    direct,
    key,
  }) => {
    await direct.set(key, "3");
    await direct.set(getPermitsKey(key), "text");
    expect(await getErrorCode(take(key))).toBe("not_a_lock");
    expect(await direct.get(getPermitsKey(key))).toBe("text");
    expect(await direct.get(key)).toBe("3");
  });
});

describe("beside JVMs", () => {
  it("each side waits for the permits of the other", async ({ take, locks, openJvm, key }) => {
    const jvm = openJvm(key);
    await jvm.trySetPermits(1);
    expect(await jvm.tryAcquire()).toBe(true);
    const waiting = take(key, 1, { waitMs: 20_000 });
    await jvm.release();
    const hold = await waiting;
    expect(await jvm.tryAcquire()).toBe(false);
    await locks.release(hold);
    expect(await jvm.tryAcquire()).toBe(true);
  });

  it("a missing number is restored without the permits of our holds", async ({
    take,
    locks,
    direct,
    readState,
    key,
  }) => {
    const hold = await take(key, 2, { limit: 5 });
    await direct.del(key);
    expect(await locks.verify(hold)).toMatchObject({ held: true });
    await take(key, 1, { limit: 5 });
    expect(await readState(key)).toEqual({ available: "2", acquired: 3 });
  });

  it("our permits end with the TTL that a JVM gave the semaphore, and not before", async ({
    take,
    locks,
    direct,
    key,
  }) => {
    const hold = await take(key, 1, { limit: 2 });
    await direct.pexpire(key, 5000);
    expect((await locks.renew(hold)).remainingMs).toBeLessThanOrEqual(20_000);
    await take(key);
    expect(await direct.pttl(getPermitsKey(key))).toBeLessThanOrEqual(5000);
    await direct.persist(key);
    expect((await locks.renew(hold, { leaseMs: 60_000 })).remainingMs).toBeGreaterThan(50_000);
    expect(await direct.pttl(getPermitsKey(key))).toBe(-1);
  });
});

describe("defects of RSemaphore", () => {
  it("the permits of a client that died return in server time, with a message to JVMs", async ({
    take,
    other,
    direct,
    readState,
    openJvm,
    redisMessages,
    key,
  }) => {
    const messages = await redisMessages(`redisson_sc:{${key}}`);
    await take(key, 2, { limit: 3, leaseMs: 50 });
    const live = await other(key, 1);
    await waitUntil(async () => (await getErrorCode(other(key, 1))) === "ok");
    expect(await readState(key)).toEqual({ available: "1", acquired: 2 });
    expect(await openJvm(key).tryAcquire()).toBe(true);
    expect(live.count).toBe(1);
    await expect.poll(() => messages).toEqual(["1", "1"]);
    expect(await direct.get(key)).toBe("0");
  });

  it("the renewal of another hold returns them as well, with a message", async ({
    take,
    other,
    locks,
    readState,
    redisMessages,
    key,
  }) => {
    const live = await other(key, 1, { limit: 3 });
    const messages = await redisMessages(`redisson_sc:{${key}}`);
    await take(key, 2, { leaseMs: 30 });
    await waitUntil(async () => {
      await locks.renew(live, { leaseMs: 60_000 + Math.floor(performance.now()) });
      return (await readState(key)).available === "2";
    });
    expect(await readState(key)).toEqual({ available: "2", acquired: 1 });
    await expect.poll(() => messages).toEqual(["2"]);
  });

  it("a process that used the semaphore returns them, although none of its clients calls", async ({
    take,
    other,
    locks,
    readState,
    redisMessages,
    key,
  }) => {
    await locks.release(await take(key, 1, { limit: 3 }));
    const messages = await redisMessages(`redisson_sc:{${key}}`);
    await other(key, 2, { leaseMs: 1500 });
    await waitUntil(async () => (await readState(key)).available === "3", 20_000);
    await expect.poll(() => messages).toEqual(["3"]);
  });

  it("a release returns only permits that its hold has, once", async ({
    take,
    locks,
    direct,
    readState,
    key,
  }) => {
    const hold = await take(key, 2, { limit: 3 });
    const release = { requestId: randomUUID() };
    for (const _ of [1, 2]) expect(await locks.release(hold, release)).toMatchObject({ outcome: "released" });
    expect(await locks.release(hold)).toMatchObject({ outcome: "not_held" });
    expect(await readState(key)).toEqual({ available: "3", acquired: 0 });
    const other = await take(key, 1);
    await direct.del(key);
    expect(await locks.release(other)).toMatchObject({ outcome: "released" });
    expect(await direct.exists(key)).toBe(0);
  });

  it("an acquire without a reply leaves no permits acquired", async ({ locks, readState, key }) => {
    const options = { owner: "me", leaseMs: 20_000, kind: "plain_semaphore", permits: 2, limit: 3 } as const;
    const { abandon } = await locks.acquire(key, options);
    abandon();
    await waitUntil(async () => (await readState(key)).acquired === 0);
    expect(await readState(key)).toEqual({ available: "3", acquired: 0 });
  });

  it("a hold whose permits are gone is lost", async ({ take, locks, direct, readState, key }) => {
    const hold = await take(key, 3, { limit: 3 });
    await direct.zrem(getPermitsKey(key), computePermitIds(hold.token, 3)[1] ?? "");
    expect(await locks.verify(hold)).toMatchObject({ held: false });
    expect(await getErrorCode(locks.renew(hold))).toBe("lost");
    expect(await locks.release(hold)).toMatchObject({ outcome: "not_held" });
    expect(await readState(key)).toEqual({ available: "2", acquired: 0 });
  });

  it("a waiter notices permits that no message announced", async ({ take, openJvm, direct, key }) => {
    await openJvm(key).trySetPermits(0);
    const waiting = take(key, 1, { waitMs: 20_000 });
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${key}}`)) === 1);
    await direct.incr(key);
    expect((await waiting).count).toBe(1);
  });

  it("no message of a negative or empty semaphore is sent", async ({
    take,
    locks,
    openJvm,
    redisMessages,
    key,
  }) => {
    await openJvm(key).trySetPermits(2);
    const hold = await take(key, 2);
    await openJvm(key).addPermits(-3);
    const messages = await redisMessages(`redisson_sc:{${key}}`);
    await locks.release(hold);
    expect(await getErrorCode(take(key))).toBe("held");
    await openJvm(key).addPermits(2);
    await expect.poll(() => messages).toEqual(["1"]);
  });

  it("no permit is stored for the expirable semaphore", async ({ take, direct, key }) => {
    await take(key, 1, { limit: 2 });
    expect(await direct.exists(String(buildPermitsKey(key)))).toBe(0);
  });
});
