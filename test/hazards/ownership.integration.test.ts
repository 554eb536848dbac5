import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import type { Grant } from "../../server/locks/verbs/contract/grant.ts";
import { locksTest } from "../support/fixtures.ts";
import { forceReleaseByOwner } from "../support/force-release-by-owner.ts";
import { countScriptCalls, getErrorCode, WRITABLE_FORMATS } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";

const it = locksTest();

/** Returns a copy of the hold with a different token. */
const toAnother = (hold: Grant): Grant => ({ ...hold, token: `${randomUUID()}:1` });

describe("hazard 1: releasing another hold's lock", () => {
  it.for(WRITABLE_FORMATS)(
    "%s: a release by another token changes nothing",
    async (format, { acquire, direct, locks, key }) => {
      const hold = await acquire(key, "me", { format });
      const before = await direct.dump(key);
      expect(await locks.release(toAnother(hold))).toMatchObject({ outcome: "not_held" });
      expect(await direct.dump(key)).toEqual(before);
      expect(await locks.release(hold)).toMatchObject({ outcome: "released" });
    },
  );

  it.for(WRITABLE_FORMATS)(
    "%s: a late release after the lease has ended does not affect the next hold of the same owner",
    async (format, { acquire, direct, locks, key }) => {
      const late = await acquire(key, "me", { format, leaseMs: 30 });
      const next = await acquire(key, "me", { format, waitMs: 5000 });
      const before = await direct.dump(key);
      expect(await locks.release(late)).toMatchObject({ outcome: "not_held" });
      expect(await direct.dump(key)).toEqual(before);
      expect(await locks.verify(next)).toMatchObject({ held: true, count: 1 });
    },
  );

  it.for(WRITABLE_FORMATS)(
    "%s: a renewal by another token changes nothing",
    async (format, { acquire, direct, locks, key }) => {
      const hold = await acquire(key, "me", { format, leaseMs: 20_000 });
      const before = await direct.dump(key);
      expect(await getErrorCode(locks.renew(toAnother(hold), { leaseMs: 60_000 }))).toBe("lost");
      expect(await direct.dump(key)).toEqual(before);
      expect(await direct.pttl(key)).toBeLessThan(21_000);
    },
  );
});

describe("hazard 2: late releases", () => {
  it.for(WRITABLE_FORMATS)(
    "%s: a late release returns not_held after a single script call",
    async (format, { direct, acquire, locks, key }) => {
      const endings: [string, () => Promise<unknown>][] = [
        ["ran out", () => waitUntil(async () => (await direct.exists(key)) === 0)],
        ["is another's", () => acquire(key, "you", { format, waitMs: 5000 })],
        ["was deleted", () => direct.del(key)],
      ];
      for (const [ending, end] of endings) {
        await direct.del(key);
        const hold = await acquire(key, "me", { format, leaseMs: ending === "was deleted" ? 30_000 : 30 });
        await end();
        const before = await countScriptCalls(direct);
        expect(await locks.release(hold), ending).toMatchObject({
          outcome: "not_held",
          count: 0,
        });
        expect((await countScriptCalls(direct)) - before, ending).toBe(1);
      }
    },
  );

  it("a late release of a hold returns not_held and ends `await using` without an error", async ({
    env,
    direct,
    key,
  }) => {
    const client = await env.openClient();
    {
      await using hold = await client.acquire(key, { leaseMs: 50, renew: false });
      await waitUntil(() => hold.signal.aborted);
      expect(hold.signal.reason).toMatchObject({ code: "lost" });
    }
    const hold = await client.acquire(key, { leaseMs: 50, renew: false, waitMs: 1000 });
    // The local deadline is slightly earlier than the end of the lease in Redis.
    await waitUntil(async () => hold.signal.aborted && (await direct.exists(key)) === 0);
    expect(await hold.release()).toMatchObject({ outcome: "not_held" });
  });
});

describe("hazard 28: keys that hold something else", () => {
  const residents: [string, (direct: Redis, key: string) => Promise<unknown>][] = [
    ["a string", (direct, key) => direct.set(key, "Ada")],
    ["an empty string", (direct, key) => direct.set(key, "")],
    ["a long string", (direct, key) => direct.set(key, "x".repeat(5000))],
    ["a hash", (direct, key) => direct.hset(key, "name", "Ada")],
    ["a list", (direct, key) => direct.rpush(key, "Ada")],
    ["a set", (direct, key) => direct.sadd(key, "Ada")],
    ["a sorted set", (direct, key) => direct.zadd(key, 1, "Ada")],
    ["a stream", (direct, key) => direct.xadd(key, "*", "name", "Ada")],
  ];

  it.for(WRITABLE_FORMATS.flatMap((format) => residents.map(([what, move]) => ({ format, what, move }))))(
    "$format: no verb changes a key that holds $what",
    async ({ format, what, move }, { direct, locks, key }) => {
      await move(direct, key);
      const before = await direct.dump(key);
      // In the format `token`, any short string is a lock.
      const isToken = format === "token" && (what === "a string" || what === "an empty string");
      const owner = "me";
      const token = `${randomUUID()}:1`;
      const seen = { token, fence: null, by: "mei", reason: "stuck" };
      const unit = format === "timestamp" ? ("ms" as const) : undefined;
      const hold = { key, format, unit, token, fence: "1795219195021038" };
      const codes = await Promise.all([
        getErrorCode(locks.acquire(key, { owner, leaseMs: 1000, format })),
        getErrorCode(locks.acquire(key, { owner, leaseMs: 1000, format, waitMs: isToken ? 30 : 5000 })),
        getErrorCode(locks.renew(hold, { leaseMs: 1000 })),
        getErrorCode(locks.reenter(hold)),
        locks.release(hold).then(({ outcome }) => outcome),
        forceReleaseByOwner(locks, key, format, seen).then(({ outcome }) => outcome),
      ]);
      expect(codes).toEqual(
        isToken
          ? ["held", "timeout", "lost", "lost", "not_held", "changed"]
          : ["not_a_lock", "not_a_lock", "lost", "lost", "not_held", "not_a_lock"],
      );
      expect(await direct.dump(key)).toBe(before);
      expect(await direct.pttl(key)).toBe(-1);
    },
  );

  it("the refusal names the Redis type, and Lockkeeper's own keys cannot be locked", async ({
    direct,
    acquire,
    locks,
    key,
  }) => {
    await direct.rpush(key, "Ada");
    const refused: unknown = await acquire(key, "me").catch((reason: unknown) => reason);
    expect(refused).toMatchObject({ code: "not_a_lock", facts: { redisType: "list" } });
    const ours = `lockkeeper:hold:{${key}}`;
    expect(await getErrorCode(locks.acquire(ours, { owner: "me", leaseMs: 1000 }))).toBe("key_not_allowed");
  });
});
