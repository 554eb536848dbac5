import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { FormatRules } from "../../server/formats/format-rules.ts";
import { buildCompanionKey, buildFairQueueKeys } from "../../server/formats/keys.ts";
import { buildPermitsKey } from "../../server/formats/redisson/redisson-keys.ts";
import { formatTest } from "../support/fixtures.ts";
import { createRedissonOwner } from "../support/test-locks.ts";

const it = formatTest();
const LEASE_MS = 20_000;
const HUGE_BYTES = 32 * 1024 * 1024;
const LUA_BYTES_MAX = 2 * 1024 * 1024;

interface ForeignLock {
  readonly name: string;
  readonly key?: () => string;
  /** The format that a configured rule assigns to the key, if any. */
  readonly format?: "redisson" | "timestamp";
  plant(redis: Redis, key: string): Promise<unknown>;
}

const hash =
  (fields: () => Record<string, string>): ForeignLock["plant"] =>
  (redis, key) =>
    redis.multi().hset(key, fields()).pexpire(key, LEASE_MS).exec();
const scored =
  (...members: readonly string[]): ForeignLock["plant"] =>
  async (redis, key) => {
    for (const member of members) await redis.zadd(key, Date.now() + LEASE_MS, member);
    await redis.pexpire(key, LEASE_MS);
  };

const symfonyToken = () => randomBytes(32).toString("base64");
const medallionId = () => `web-1_4711_${randomBytes(16).toString("hex")}`;

/** A lock for each script that force-releases locks, and for each path through these scripts. */
const LOCKS: readonly ForeignLock[] = [
  { name: "Redisson lock", plant: hash(() => ({ [createRedissonOwner()]: "1" })) },
  { name: "Redisson read lock", plant: hash(() => ({ mode: "read", [createRedissonOwner()]: "1" })) },
  {
    name: "Redisson lock of two owners",
    plant: hash(() => ({ [createRedissonOwner()]: "1", [createRedissonOwner(8)]: "1" })),
  },
  {
    name: "Redisson multi-lock group",
    plant: hash(() => {
      const entry = `a:${createRedissonOwner()}`;
      const end = String(Date.now() + LEASE_MS);
      return { a: entry.slice(2), [`${entry}:expire_time`]: end, [`${entry}:lock_count`]: "1" };
    }),
  },
  {
    name: "Redisson semaphore with permits",
    async plant(redis, key) {
      await redis.set(key, "2");
      await redis.zadd(String(buildPermitsKey(key)), Date.now() + LEASE_MS, randomBytes(16));
    },
  },
  { name: "Redisson counter", format: "redisson", plant: (redis, key) => redis.set(key, "2") },
  { name: "token", plant: (redis, key) => redis.set(key, randomUUID(), "PX", LEASE_MS) },
  {
    name: "timestamp",
    format: "timestamp",
    plant: (redis, key) => redis.set(key, String(Date.now() + LEASE_MS)),
  },
  { name: "Symfony lock", plant: scored("__write__", symfonyToken()) },
  { name: "redis-semaphore", key: () => `semaphore:${randomUUID()}`, plant: scored(randomUUID()) },
  {
    name: "Medallion readers",
    key: () => `lock:${randomUUID()}.readers`,
    plant: (redis, key) => redis.multi().sadd(key, medallionId()).pexpire(key, LEASE_MS).exec(),
  },
  {
    name: "sidekiq-unique-jobs",
    key: () => `uniquejobs:${randomBytes(32).toString("hex")}:LOCKED`,
    plant: hash(() => ({ [randomBytes(12).toString("hex")]: String(Date.now() / 1000) })),
  },
];

const TYPES: Readonly<Record<string, ForeignLock["plant"]>> = {
  none: async () => undefined,
  string: (redis, key) => redis.set(key, "x"),
  "empty string": (redis, key) => redis.set(key, ""),
  hash: (redis, key) => redis.hset(key, "name", "Ada"),
  list: (redis, key) => redis.rpush(key, "x"),
  set: (redis, key) => redis.sadd(key, "x"),
  zset: (redis, key) => redis.zadd(key, 1, "x"),
  stream: (redis, key) => redis.xadd(key, "*", "name", "Ada"),
};

/** Functions that write a value larger than any lock, by the Redis type of the lock. */
const HUGE: Readonly<Record<string, (redis: Redis, key: string, member: string) => Promise<unknown>>> = {
  string: (redis, key) => redis.set(key, Buffer.alloc(HUGE_BYTES, "1")),
  hash: (redis, key, member) =>
    redis.multi().hset(key, member, Buffer.alloc(HUGE_BYTES, "x")).hset(key, "mode", "read").exec(),
  zset: (redis, key) => redis.zadd(key, Date.now() + 60_000, Buffer.alloc(HUGE_BYTES, "x")),
  set: (redis, key) => redis.sadd(key, Buffer.alloc(HUGE_BYTES, "x")),
};

const readLuaBytes = async (redis: Redis) =>
  Number(/^used_memory_lua:(\d+)/m.exec(await redis.info("memory"))?.[1]);

describe.each(LOCKS)("force-release of a key that has changed: $name", ({ plant, format, ...lock }) => {
  const createRules = (key: string) =>
    new FormatRules(format === undefined ? [] : [{ pattern: key, format }]);

  it.for(Object.keys(TYPES))(
    "a key that is now of type %s is reported and not changed",
    async (type, { direct, observeHeld, forceRelease, key: ordinaryKey }) => {
      for (const reservedMs of [undefined, 60_000]) {
        const key = lock.key?.() ?? ordinaryKey;
        await direct.del(key);
        await plant(direct, key);
        const seen = await observeHeld(key, createRules(key));
        await direct.del(key);
        await TYPES[type]?.(direct, key);
        const before = await direct.dump(key);
        for (const owner of [undefined, seen.holders[0].owner])
          expect(await forceRelease(seen, { owner, reservedMs })).toMatch(/^(not_a_lock|changed|gone)$/);
        expect(await direct.dump(key)).toEqual(before);
      }
    },
  );

  it.for(Object.keys(TYPES))(
    "a key of type %s beside the lock does not make it fail",
    async (type, { direct, observeHeld, forceRelease, key: ordinaryKey }) => {
      const key = lock.key?.() ?? ordinaryKey;
      await direct.del(key);
      await plant(direct, key);
      const seen = await observeHeld(key, createRules(key));
      const digest = key.replace(/:LOCKED$/, "");
      const beside = [buildCompanionKey(key), ...buildFairQueueKeys(key), buildPermitsKey(key)];
      for (const name of [...beside, digest, `${digest}:QUEUED`, "uniquejobs:digests"].map(String)) {
        if (name === key) continue;
        await direct.del(name);
        await TYPES[type]?.(direct, name);
      }
      expect(await forceRelease(seen)).toMatch(/^(released|not_a_lock|changed|gone)$/);
      await direct.del("uniquejobs:digests");
    },
  );

  it("a key that is now huge is not copied by the script", async ({
    direct,
    observeHeld,
    forceRelease,
    key: ordinaryKey,
  }) => {
    const key = lock.key?.() ?? ordinaryKey;
    await direct.del(key);
    await plant(direct, key);
    const seen = await observeHeld(key, createRules(key));
    await HUGE[seen.type]?.(direct, key, String(seen.holders[0].token));
    for (const owner of [undefined, seen.holders[0].owner]) await forceRelease(seen, { owner });
    expect(await readLuaBytes(direct)).toBeLessThan(LUA_BYTES_MAX);
    await direct.del(key);
  });
});
