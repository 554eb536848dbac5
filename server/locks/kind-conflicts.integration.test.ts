import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { locksTest } from "../../test/support/fixtures.ts";
import { catchLockError, getErrorCode } from "../../test/support/test-locks.ts";
import type { AcquireOptions, LockVerbs } from "./verbs/contract/verbs.ts";

const it = locksTest();

const BASE = { owner: "me", leaseMs: 20_000 };

type Use = (locks: LockVerbs, key: string, direct: Redis) => Promise<unknown>;
const acquireAs =
  (options: Partial<AcquireOptions>): Use =>
  (locks, key) =>
    locks.acquire(key, { ...BASE, ...options });

/** Acquires of a key, by the kinds of lock that are stored in a hash. */
const LOCKS: Readonly<Record<string, Use>> = {
  lock: acquireAs({}),
  read: acquireAs({ kind: "read" }),
  write: acquireAs({ kind: "write" }),
};
const SEMAPHORE = acquireAs({ kind: "semaphore", permits: 2, limit: 3 });
const NUMBERS: Readonly<Record<string, { readonly kind: string; readonly use: Use }>> = {
  "a semaphore": { kind: "semaphore", use: SEMAPHORE },
  "an idle semaphore": { kind: "semaphore", use: (locks, key) => locks.setLimit(key, 3) },
  "a semaphore of a JVM": {
    kind: "semaphore",
    use: (_, key, direct) =>
      direct
        .multi()
        .set(key, 2)
        .zadd(`{${key}}:timeout`, Date.now() + 60_000, randomBytes(16))
        .exec(),
  },
  "a plain semaphore": {
    kind: "plain_semaphore",
    use: acquireAs({ kind: "plain_semaphore", permits: 2, limit: 3 }),
  },
  "a latch": { kind: "latch", use: (locks, key) => locks.latches.trySetCount(key, 3) },
};

const LOCK_REQUESTS: Readonly<Record<string, Use>> = {
  ...LOCKS,
  fair: acquireAs({ kind: "fair" }),
  "waiting lock": acquireAs({ waitMs: 10_000 }),
  "waiting writer": acquireAs({ kind: "write", waitMs: 10_000 }),
  token: acquireAs({ format: "token" }),
  acquireAll: (locks, key) => locks.acquireAll([`${key}:other`, key], BASE),
  reserve: (locks, key) => locks.reserve(key, { by: "mei", reservedMs: 5000 }),
};
const SEMAPHORE_REQUESTS: Readonly<Record<string, Use>> = {
  acquire: SEMAPHORE,
  "acquire as plain": acquireAs({ kind: "plain_semaphore", limit: 3 }),
  "acquire without limit": acquireAs({ kind: "semaphore" }),
  "waiting acquire": acquireAs({ kind: "semaphore", limit: 3, waitMs: 10_000 }),
  setLimit: (locks, key) => locks.setLimit(key, 3),
};
const LATCH_REQUESTS: Readonly<Record<string, Use>> = {
  trySetCount: (locks, key) => locks.latches.trySetCount(key, 3),
  countDown: (locks, key) => locks.latches.countDown(key),
  getCount: (locks, key) => locks.latches.getCount(key),
  wait: (locks, key) => locks.latches.wait(key, { waitMs: 10_000 }),
};

/** Returns the stored values of the Redis keys whose names contain `key`. Streams of events are not among them. */
async function dumpKeys(direct: Redis, key: string): Promise<unknown> {
  const names = (await direct.keys(`*${key}*`)).sort();
  return await Promise.all(names.map(async (name) => [name, String(await direct.dumpBuffer(name))]));
}

describe("a key that is used as another kind", () => {
  it.for(Object.entries(NUMBERS))(
    "%s is kind_conflict for a lock, and is not changed",
    async ([, { kind, use }], { locks, key, direct }) => {
      await use(locks, key, direct);
      const before = await dumpKeys(direct, key);
      const others = kind === "latch" ? SEMAPHORE_REQUESTS : LATCH_REQUESTS;
      for (const [name, request] of Object.entries({ ...LOCK_REQUESTS, ...others })) {
        const refusal = await catchLockError(request(locks, key, direct));
        expect([name, refusal.code, refusal.facts]).toEqual([name, "kind_conflict", { key, kind }]);
      }
      expect(await dumpKeys(direct, key)).toEqual(before);
    },
  );

  it.for(Object.entries(LOCKS))(
    "a %s is kind_conflict for a semaphore and a latch, and is not changed",
    async ([kind, use], { locks, key, direct }) => {
      await use(locks, key, direct);
      const before = await dumpKeys(direct, key);
      for (const [name, request] of Object.entries({ ...SEMAPHORE_REQUESTS, ...LATCH_REQUESTS })) {
        const refusal = await catchLockError(request(locks, key, direct));
        expect([name, refusal.code, refusal.facts]).toEqual([name, "kind_conflict", { key, kind }]);
      }
      expect(await dumpKeys(direct, key)).toEqual(before);
    },
  );

  it("can be used as any kind once it is gone", async ({ locks, key, direct }) => {
    for (const remove of [
      async () => {
        await locks.latches.trySetCount(key, 1);
        await locks.latches.countDown(key);
      },
      async () => {
        await locks.setLimit(key, 3);
        await direct.del(key);
      },
      async () => {
        const { grant } = await locks.acquire(key, BASE);
        await locks.release(grant);
      },
    ]) {
      await remove();
      expect(await locks.latches.trySetCount(key, 2)).toMatchObject({ isSet: true });
      expect(await locks.latches.countDown(key)).toMatchObject({ count: 1 });
      expect(await locks.latches.countDown(key)).toMatchObject({ count: 0 });
      await remove();
      expect(await getErrorCode(SEMAPHORE(locks, key, direct))).toBe("ok");
      await direct.del(key, `{${key}}:timeout`);
      await remove();
      const { grant } = await locks.acquire(key, BASE);
      await locks.release(grant);
    }
  });

  it("is held for the other kinds that a hash stores", async ({ locks, direct }) => {
    for (const [kind, use] of Object.entries(LOCKS)) {
      const key = `lock:held-as-${kind}`;
      await use(locks, key, direct);
      for (const [other, request] of Object.entries(LOCKS)) {
        if (other === "read" && kind === "read") continue;
        expect([other, await getErrorCode(request(locks, key, direct))]).toEqual([other, "held"]);
      }
    }
  });
});
