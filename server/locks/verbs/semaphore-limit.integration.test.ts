import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { semaphoreTest } from "../../../test/support/semaphore-fixture.ts";
import { catchLockError, getErrorCode, measureMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { waitForWaiters } from "../../../test/support/wait-for-waiters.ts";
import { buildSemaphoreChannel } from "../../formats/redisson/redisson-keys.ts";

const it = semaphoreTest();

describe("setLimit", () => {
  it("creates a semaphore, grows it and wakes waiters", async ({
    locks,
    take,
    other,
    direct,
    readState,
    key,
  }) => {
    expect(await locks.setLimit(key, 2)).toMatchObject({ key, limit: 2, available: 2, acquired: 0 });
    await take(key);
    const waiting = other(key, 2, { waitMs: 20_000 });
    await waitForWaiters(direct, key, 1);
    expect(await getErrorCode(take(key))).toBe("held");
    expect(await locks.setLimit(key, 3)).toMatchObject({ limit: 3, available: 2, acquired: 1 });
    expect((await waiting).count).toBe(2);
    expect(await readState(key)).toEqual({ available: "0", acquired: 3 });
  });

  it("with a limit below the acquired permits, none is available until enough have been released", async ({
    locks,
    take,
    readState,
    redisMessages,
    key,
  }) => {
    const [one, two] = [await take(key, 2, { limit: 4 }), await take(key, 2)];
    expect(await locks.setLimit(key, 1)).toMatchObject({ limit: 1, available: -3, acquired: 4 });
    const messages = await redisMessages(String(buildSemaphoreChannel(key)));
    await locks.release(one);
    expect(await catchLockError(take(key, 1, { limit: 1 }))).toMatchObject({
      code: "held",
      facts: { permits: { available: -1, total: 1 } },
    });
    // Redisson's clients fail on a negative message, and the message 0 wakes no client.
    expect(messages).toEqual([]);
    await locks.release(two);
    await expect.poll(() => messages).toEqual(["1"]);
    expect(await readState(key)).toEqual({ available: "1", acquired: 0 });
  });

  it("waiters that expected another limit leave the queue with their error", async ({
    take,
    other,
    locks,
    direct,
    key,
  }) => {
    await take(key, 2, { limit: 2 });
    const waiting = Array.from({ length: 3 }, () =>
      getErrorCode(other(key, 1, { limit: 2, waitMs: 20_000 })),
    );
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${key}}`)) === 3);
    await locks.setLimit(key, 6);
    expect(await Promise.all(waiting)).toEqual(["limit_conflict", "limit_conflict", "limit_conflict"]);
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${key}}`)) === 0);
    // The process of the waiters keeps making attempts, so their entries would count as alive.
    for (const client of [other, take, other, take]) {
      const { code, ms } = await measureMs(client(key));
      expect(code).toBe("ok");
      expect(ms).toBeLessThan(1000);
    }
  });

  it("an idle semaphore of a JVM can be used only with its limit", async ({
    take,
    locks,
    direct,
    readState,
    key,
  }) => {
    await direct.set(key, 7);
    for (const limit of [undefined, 6])
      expect(await getErrorCode(take(key, 1, { limit }))).toBe("not_a_lock");
    expect(await getErrorCode(locks.setLimit(key, 8))).toBe("not_a_lock");
    expect(await readState(key)).toEqual({ available: "7", acquired: 0 });
    const hold = await take(key, 1, { limit: 7 });
    await locks.release(hold);
    // The companion of the key shows that it was a semaphore.
    await take(key);
    expect(await readState(key)).toEqual({ available: "6", acquired: 1 });
  });
});

type Plant = (redis: Redis, key: string) => Promise<unknown>;
const GARBAGE: Readonly<Record<string, Plant>> = {
  "a hash": (redis, key) => redis.hset(key, "a", "1"),
  "a text": (redis, key) => redis.set(key, "abc"),
  "an empty text": (redis, key) => redis.set(key, ""),
  "a number with other members beside it": (redis, key) =>
    redis
      .multi()
      .set(key, 3)
      .zadd(`{${key}}:timeout`, Date.now() + 60_000, "not a permit")
      .exec(),
  "a number with a list beside it": (redis, key) =>
    redis.multi().set(key, 3).rpush(`{${key}}:timeout`, "x").exec(),
  "other members without a number": (redis, key) => redis.zadd(`{${key}}:timeout`, 1, "long ago"),
  "a number with too many permits": async (redis, key) => {
    const members = Array.from({ length: 4097 }, () => [Date.now() + 60_000, randomBytes(16)]).flat();
    await redis
      .multi()
      .set(key, 3)
      .zadd(`{${key}}:timeout`, ...members)
      .exec();
  },
};

it.for(Object.entries(GARBAGE))(
  "%s is not a semaphore, and is not changed",
  async ([, plant], { take, locks, direct, key }) => {
    await plant(direct, key);
    const dump = async () =>
      (await Promise.all([key, `{${key}}:timeout`].map((each) => direct.dumpBuffer(each)))).map(String);
    const before = await dump();
    for (const limit of [undefined, 3])
      expect(await getErrorCode(take(key, 1, { limit }))).toMatch(/not_a_lock|limit_conflict/);
    expect(await getErrorCode(take(key, 1, { limit: 3, waitMs: 50 }))).toBe("not_a_lock");
    expect(await getErrorCode(locks.setLimit(key, 3))).toBe("not_a_lock");
    expect(await dump()).toEqual(before);
  },
);
