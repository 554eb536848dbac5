import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, vi } from "vitest";
import { semaphoreTest } from "../../../test/support/semaphore-fixture.ts";
import { catchLockError, createTestKey, getErrorCode } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { computePermitIds } from "../../formats/redisson/permit-ids.ts";
import { buildPermitsKey } from "../../formats/redisson/redisson-keys.ts";

const it = semaphoreTest();
const getPermitsKey = (key: string) => String(buildPermitsKey(key));

describe("acquire", () => {
  it("creates a missing semaphore with the limit, and acquires all permits or none", async ({
    take,
    readState,
    key,
  }) => {
    const first = await take(key, 2, { limit: 5 });
    expect(first).toMatchObject({ key, kind: "semaphore", count: 2, owner: "me", leaseMs: 20_000 });
    expect(await readState(key)).toEqual({ available: "3", acquired: 2 });
    const refusal = await catchLockError(take(key, 4, { limit: 5 }));
    expect(refusal).toMatchObject({
      code: "held",
      facts: { permits: { available: 3, total: 5 }, holders: [] },
    });
    expect(refusal.message).toContain("3 of 5 permits available");
    const second = await take(key, 3);
    expect(Number(second.fence)).toBeGreaterThan(Number(first.fence));
    expect(await readState(key)).toEqual({ available: "0", acquired: 5 });
  });

  it("names the actual limit if it differs, and needs a limit for a missing semaphore", async ({
    take,
    direct,
    readState,
    key,
  }) => {
    expect(await catchLockError(take(key))).toMatchObject({
      code: "limit_conflict",
      facts: { key, limit: null },
    });
    expect(await getErrorCode(take(key, 3, { limit: 2 }))).toBe("limit_conflict");
    expect(await direct.exists(key)).toBe(0);
    const hold = await take(key, 1, { limit: 3 });
    for (const [permits, limit] of [
      [1, 4],
      [4, 3],
      [4, undefined],
    ] as const) {
      const refusal = await catchLockError(take(key, permits, { limit }));
      expect(refusal).toMatchObject({ code: "limit_conflict", facts: { key, limit: 3 } });
    }
    expect(await readState(key)).toEqual({ available: "2", acquired: 1 });
    expect(hold.count).toBe(1);
  });

  it("reclaims expired permits in server time", async ({ take, direct, readState, key }) => {
    await take(key, 2, { limit: 2, leaseMs: 30 });
    await waitUntil(async () => (await getErrorCode(take(key, 2))) === "ok");
    expect(await readState(key)).toEqual({ available: "0", acquired: 2 });
    expect(await direct.pttl(key)).toBe(-1);
  });
});

describe("renew, verify and release", () => {
  it("extends all permits, and returns them once", async ({ take, locks, readState, key, direct }) => {
    const hold = await take(key, 3, { limit: 3, leaseMs: 5000 });
    expect((await locks.renew(hold, { leaseMs: 60_000 })).remainingMs).toBeGreaterThan(59_000);
    const scores = await direct.zrange(getPermitsKey(key), "0", "-1", "WITHSCORES");
    expect(new Set(scores.filter((_, at) => at % 2 === 1)).size).toBe(1);
    expect(await locks.verify(hold)).toMatchObject({ held: true, count: 3 });
    expect(await locks.release(hold)).toMatchObject({ outcome: "released", count: 0 });
    expect(await locks.release(hold)).toMatchObject({ outcome: "not_held" });
    expect(await locks.verify(hold)).toMatchObject({ held: false });
    expect(await getErrorCode(locks.renew(hold))).toBe("lost");
    expect(await readState(key)).toEqual({ available: "3", acquired: 0 });
  });

  it("renews many holds of one key in one script", async ({ take, locks, key }) => {
    const other = createTestKey();
    const holds = [
      await take(key, 2, { limit: 3 }),
      await take(key),
      await take(other, 4, { limit: 4, leaseMs: 1000 }),
    ];
    const renewed = await locks.renewHolds(holds.map((hold) => ({ ...hold, leaseMs: 30_000 })));
    expect(renewed.map((each) => each.status === "fulfilled" && each.value.count)).toEqual([2, 1, 4]);
  });
});

describe("requests", () => {
  it("a repeated request returns the same hold from any client, and acquires no further permits", async ({
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
    expect(await readState(key)).toEqual({ available: "2", acquired: 2 });
    const release = { requestId: randomUUID() };
    for (const _ of [1, 2])
      expect(await locks.release({ ...hold, principal: "key_1" }, release)).toMatchObject({
        outcome: "released",
      });
    expect(await getErrorCode(other(key, 2, named))).toBe("lost");
    expect(await readState(key)).toEqual({ available: "4", acquired: 0 });
  });

  it("only its principal renews and releases a hold", async ({ take, locks, readState, key }) => {
    const hold = await take(key, 2, { principal: "key_1", limit: 2 });
    const stranger = { ...hold, principal: "key_2" };
    expect(await getErrorCode(locks.renew(stranger))).toBe("not_owner");
    expect(await getErrorCode(locks.release(stranger))).toBe("not_owner");
    expect(await readState(key)).toEqual({ available: "0", acquired: 2 });
  });

  it("a withdrawn acquire acquires no permits, whether it arrives before or after the withdrawal", async ({
    locks,
    readState,
    key,
  }) => {
    const options = { owner: "me", leaseMs: 20_000, kind: "semaphore", permits: 2, limit: 3 } as const;
    const acquired = await locks.acquire(key, options);
    acquired.abandon();
    await waitUntil(async () => (await readState(key)).acquired === 0);
    expect(await readState(key)).toEqual({ available: "3", acquired: 0 });
  });

  it("options that a semaphore does not have are invalid", async ({ take, locks, direct, key }) => {
    for (const more of [
      { limit: 3, graceMs: 10 },
      { limit: 3, minHoldMs: 10 },
      { limit: 0 },
      { limit: 1.5 },
      { limit: 5000 },
      { format: "token" },
    ] as const)
      expect(await getErrorCode(take(key, 1, more))).toBe("invalid");
    expect(await getErrorCode(take(key, 1, { kind: "lock" }))).toBe("invalid");
    expect(await direct.exists(key)).toBe(0);
    const hold = await take(key, 1, { limit: 2 });
    expect(await getErrorCode(locks.reenter(hold))).toBe("invalid");
    expect(await getErrorCode(locks.release(hold, { reservedMs: 1000 }))).toBe("invalid");
  });
});

describe("permits of Redisson", () => {
  it("counts permits that a JVM acquired, and reclaims them by the server clock only", async ({
    take,
    direct,
    readState,
    key,
  }) => {
    const now = Number((await direct.time())[0]) * 1000;
    await direct.set(key, 1);
    await direct.zadd(getPermitsKey(key), now + 60_000, randomBytes(16), 922337203685477, randomBytes(16));
    // A client whose clock is ahead does not reclaim the permits.
    vi.useFakeTimers({ now: now + 3_600_000, toFake: ["Date"] });
    try {
      expect(await getErrorCode(take(key, 2, { limit: 3 }))).toBe("held");
      const hold = await take(key, 1, { limit: 3 });
      const score = await direct.zscore(getPermitsKey(key), computePermitIds(hold.token, 1)[0] ?? "");
      expect(Number(score)).toBeLessThan(now + 30_000);
    } finally {
      vi.useRealTimers();
    }
    expect(await readState(key)).toEqual({ available: "0", acquired: 3 });
  });

  it("a waiter without a limit recognizes the semaphore of a JVM that releases its last permit", async ({
    take,
    direct,
    key,
  }) => {
    const id = randomBytes(16);
    await direct.set(key, 0);
    await direct.zadd(getPermitsKey(key), Date.now() + 60_000, id);
    const waiting = take(key, 1, { waitMs: 20_000 });
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${key}}`)) === 1);
    await direct.multi().zrem(getPermitsKey(key), id).incr(key).publish(`redisson_sc:{${key}}`, "1").exec();
    expect((await waiting).count).toBe(1);
  });

  it("a hold that lost one permit is lost, and its release returns the others once", async ({
    take,
    locks,
    direct,
    readState,
    key,
  }) => {
    const hold = await take(key, 3, { limit: 3 });
    // Releases a permit by its id, like Redisson.
    await direct.zrem(getPermitsKey(key), computePermitIds(hold.token, 3)[1] ?? "");
    await direct.incr(key);
    expect(await locks.verify(hold)).toMatchObject({ held: false });
    expect(await getErrorCode(locks.renew(hold))).toBe("lost");
    for (const _ of [1, 2]) expect(await locks.release(hold)).toMatchObject({ outcome: "not_held" });
    expect(await readState(key)).toEqual({ available: "3", acquired: 0 });
  });

  it("an evicted number is restored from the permits, and evicted permits end their holds", async ({
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
    await direct.del(getPermitsKey(key));
    expect(await getErrorCode(locks.renew(hold))).toBe("lost");
    expect(await catchLockError(take(key, 1, { limit: 5 }))).toMatchObject({
      code: "limit_conflict",
      facts: { limit: 2 },
    });
    expect(await locks.setLimit(key, 5)).toMatchObject({ available: 5, acquired: 0 });
  });

  it("the permits of a semaphore with a TTL expire with it", async ({ take, locks, direct, key }) => {
    const hold = await take(key, 1, { limit: 2 });
    await direct.pexpire(key, 5000);
    await take(key);
    expect(await direct.pttl(getPermitsKey(key))).toBeGreaterThan(0);
    expect((await locks.renew(hold)).remainingMs).toBeLessThanOrEqual(5000);
  });
});
