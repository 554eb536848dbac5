import { describe, expect } from "vitest";
import { locksTest } from "../../test/support/fixtures.ts";
import { catchLockError, createTestKey, getErrorCode } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { buildPermitsKey } from "../formats/redisson/redisson-keys.ts";
import type { AcquireOptions } from "./verbs/verbs.ts";

const it = locksTest()
  .extend(
    "take",
    { scope: "file" },
    ({ locks }) =>
      async (key: string, permits = 1, more: Partial<AcquireOptions> = {}) => {
        const options = { owner: "me", leaseMs: 20_000, kind: "semaphore", permits, ...more } as const;
        return (await locks.acquire(key, options)).grant;
      },
  )
  .extend("readState", { scope: "file" }, ({ direct }) => async (key: string) => ({
    available: await direct.get(key),
    acquired: await direct.zcard(String(buildPermitsKey(key))),
  }));

describe("acquire", () => {
  it("creates a missing semaphore with the limit and takes all permits or none", async ({
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
    readState,
    key,
  }) => {
    expect(await catchLockError(take(key))).toMatchObject({
      code: "limit_conflict",
      facts: { key, limit: null },
    });
    const hold = await take(key, 1, { limit: 3 });
    for (const [permits, limit] of [
      [1, 4],
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

describe("waiting", () => {
  it("wakes a waiter when enough permits were released", async ({ take, locks, key }) => {
    const [one, two] = [await take(key, 1, { limit: 2 }), await take(key)];
    const waiting = take(key, 2, { waitMs: 20_000, owner: "you" });
    await locks.release(one);
    await locks.release(two);
    expect((await waiting).owner).toBe("you");
  });
});

describe("renew, verify and release", () => {
  it("extends all permits, and returns them once", async ({ take, locks, readState, key, direct }) => {
    const hold = await take(key, 3, { limit: 3, leaseMs: 5000 });
    expect((await locks.renew(hold, { leaseMs: 60_000 })).remainingMs).toBeGreaterThan(59_000);
    const scores = await direct.zrange(String(buildPermitsKey(key)), "0", "-1", "WITHSCORES");
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
