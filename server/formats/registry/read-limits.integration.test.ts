import type { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { startTestRedis } from "../../../test/support/test-redis.ts";
import { createForeignOwner } from "../../../test/support/test-watcher.ts";
import { buildCompanionKey, buildFairQueueKeys, buildRedissonSuffixKey } from "../keys.ts";
import { readKeys } from "./read-keys.ts";
import { readQueue } from "./read-queue.ts";

/** Size of each large field, member or value, in bytes. */
const LARGE = 4 * 1024 * 1024;
/** Maximum number of bytes that Redis may return for a key that is too large. */
const REPLY_BYTES_MAX = 32 * 1024;
const large = (letter = "x") => letter.repeat(LARGE);

const it = test
  .extend("redis", { scope: "file" }, async ({}, { onCleanup }) => {
    const redis = await startTestRedis({ args: ["--proto-max-bulk-len", "512mb"] });
    onCleanup(() => redis.stop());
    return redis;
  })
  .extend("direct", { scope: "file" }, ({ redis }) => redis.createClient());

async function countOutputBytes(direct: Redis): Promise<number> {
  return Number(/total_net_output_bytes:(\d+)/.exec(await direct.info("stats"))?.[1]);
}

/** Reads a key and asserts that the reply was small. */
async function readOne(direct: Redis, key: string) {
  const before = await countOutputBytes(direct);
  const [observation] = await readKeys(direct, [key]);
  expect((await countOutputBytes(direct)) - before).toBeLessThan(REPLY_BYTES_MAX);
  if (observation === undefined) throw new Error("nothing was read");
  return observation;
}

describe("keys larger than a lock can be", () => {
  const plants: readonly [string, (direct: Redis, key: string) => Promise<unknown>, object][] = [
    ["a hash of 16 large fields", (direct, key) => plantHash(direct, key), { of: "bytes" }],
    ["a hash with one large field name", (direct, key) => direct.hset(key, large(), 1), { of: "bytes" }],
    ["a set with one large member", (direct, key) => direct.sadd(key, large()), { of: "bytes" }],
    ["a sorted set with one large member", (direct, key) => direct.zadd(key, 1, large()), { of: "bytes" }],
    ["a string of 64 MB", (direct, key) => direct.setrange(key, 64e6, "x"), { of: "bytes", most: 1024 }],
    ["a hash of 200 fields", (direct, key) => plantFields(direct, key, 200), { of: "fields", size: 200 }],
    [
      "a hash whose field has 1025 bytes",
      (direct, key) => direct.hset(key, createForeignOwner(), "1".repeat(1025)),
      { of: "bytes_of_one_element", size: 1025, most: 1024 },
    ],
    [
      "a set whose member has 1025 bytes",
      (direct, key) => direct.sadd(key, "m".repeat(1025)),
      { of: "bytes_of_one_element", size: 1025, most: 1024 },
    ],
  ];

  it.for(plants)("%s is not read and is not a lock", async ([, plant, unread], { direct }) => {
    const key = createTestKey();
    await plant(direct, key);
    expect(await readOne(direct, key)).toMatchObject({ state: "not_a_lock", unread });
    await direct.del(key);
  });

  it("a lock of 256 readers that takes more than the first call returns is read whole", async ({
    direct,
  }) => {
    const key = createTestKey();
    const owners = Array.from({ length: 256 }, () => `${"m".repeat(300)}_1_${"a".repeat(32)}`);
    await direct.sadd(`${key}.readers`, ...owners.map((owner, at) => `${at}${owner}`));
    const [observation] = await readKeys(direct, [`${key}.readers`]);
    expect(observation).toMatchObject({ state: "held", format: "medallion" });
    expect(observation).toHaveProperty("holders.length", 256);
  });

  async function plantHash(direct: Redis, key: string): Promise<void> {
    for (let field = 0; field < 16; field++) await direct.hset(key, `field ${field}`, large());
  }

  async function plantFields(direct: Redis, key: string, count: number): Promise<void> {
    await direct.hset(key, ...Array.from({ length: count }, (_, at) => [`field ${at}`, 1]).flat());
  }
});

describe("large keys beside a lock", () => {
  it("a companion of more than 8192 bytes counts as missing, and the lock is shown by its own content", async ({
    direct,
  }) => {
    const key = createTestKey();
    const owner = createForeignOwner();
    await direct.hset(key, owner, 1);
    const companion = [owner, "", 1, 5, 0, 0, 0, 0, 7, "redisson", "somebody", "", ""].join("\n");
    await direct.set(String(buildCompanionKey(key)), companion);
    expect(await readOne(direct, key)).toMatchObject({ holders: [{ owner: "somebody", fence: "5" }] });
    await direct.append(String(buildCompanionKey(key)), "\n".repeat(8193 - companion.length));
    expect(await readOne(direct, key)).toMatchObject({ holders: [{ owner, fence: null }] });
    await direct.set(String(buildCompanionKey(key)), `${companion}${large("\n")}`);
    expect(await readOne(direct, key)).toMatchObject({ holders: [{ owner, fence: null }] });
  });

  it("permits of a semaphore that take too many bytes are not read", async ({ direct }) => {
    const key = createTestKey();
    await direct.set(key, 3);
    await direct.zadd(String(buildRedissonSuffixKey(key, ":timeout")), 1, large());
    expect(await readOne(direct, key)).toMatchObject({ format: "token", holders: [{ owner: "3" }] });
  });

  it("256 of 1000 permits of a semaphore are read", async ({ direct }) => {
    const key = createTestKey();
    await direct.set(key, 3);
    const end = Date.now() + 60_000;
    const ids = Array.from({ length: 1000 }, (_, at) => [
      end,
      Buffer.alloc(16, String(at).padStart(16, "0")),
    ]);
    await direct.zadd(String(buildRedissonSuffixKey(key, ":timeout")), ...ids.flat());
    const [observation] = await readKeys(direct, [key]);
    expect(observation).toMatchObject({ state: "held", permits: { available: 3, total: null } });
    expect(observation).toHaveProperty("holders.length", 256);
  });

  it("a fair queue with a large element is not read, and one of 1500 clients is", async ({ direct }) => {
    const key = createTestKey();
    const queue = String(buildFairQueueKeys(key)[0]);
    await direct.hset(key, createForeignOwner(), 1);
    const clients = Array.from({ length: 1500 }, () => createForeignOwner());
    await direct.rpush(queue, ...clients);
    const [seen] = await readKeys(direct, [key]);
    if (seen?.state !== "held") throw new Error("the lock is not held");
    expect((await readQueue(direct, seen)).libraryWaiters.map(({ owner }) => owner)).toEqual(
      clients.slice(0, 1000),
    );
    await direct.lset(queue, 3, large());
    const before = await countOutputBytes(direct);
    expect((await readQueue(direct, seen)).libraryWaiters).toEqual([]);
    expect((await countOutputBytes(direct)) - before).toBeLessThan(REPLY_BYTES_MAX);
  });

  it("a Bull job whose fields are large is not read, and its lock is shown", async ({ direct }) => {
    const queue = createTestKey();
    await direct.set(`${queue}:7:lock`, "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "PX", 30_000);
    await direct.hset(`${queue}:7`, "timestamp", large(), "processedOn", "1700000000000");
    await direct.hset(`${queue}:meta`, "version", large());
    expect(await readOne(direct, `${queue}:7:lock`)).toMatchObject({ state: "held", format: "token" });
    await direct.hset(`${queue}:7`, "timestamp", "1700000000000");
    await direct.hset(`${queue}:meta`, "version", "bullmq:5.1.0");
    expect(await readOne(direct, `${queue}:7:lock`)).toMatchObject({
      format: "bullmq",
      confidence: "certain",
    });
  });

  it("jobs of Sidekiq whose waiting lists have large elements are not read, and the lock is shown", async ({
    direct,
  }) => {
    const digest = `uniquejobs:${"0123456789abcdef".repeat(2)}`;
    await direct.hset(`${digest}:LOCKED`, "0123456789abcdef01234567", Date.now() / 1000);
    await direct.rpush(`${digest}:QUEUED`, large());
    await direct.rpush(`${digest}:PRIMED`, "a".repeat(24));
    expect(await readOne(direct, `${digest}:LOCKED`)).toMatchObject({ state: "held", waiters: { count: 1 } });
  });
});

describe("users without MEMORY USAGE", () => {
  it("a small hash is read, a larger one is unreadable and names the right to grant", async ({
    redis,
    direct,
  }) => {
    await direct.call("ACL", "SETUSER", "narrow", "reset", "on", ">secret", "~*", "&*", "+@all", "-memory");
    const user = redis.createClient();
    await user.auth("narrow", "secret");
    const [small, larger] = [createTestKey(), createTestKey()];
    await direct.hset(small, createForeignOwner(), 1);
    await direct.hset(larger, "x".repeat(100), 1);
    expect(await readKeys(user, [small, larger])).toMatchObject([
      { state: "held", format: "redisson" },
      { state: "unreadable", reason: "forbidden", why: expect.stringContaining("grant +memory|usage") },
    ]);
  });
});

describe("keys of Lockkeeper itself", () => {
  it("a key of the home store is not a lock by any rule", async ({ direct }) => {
    const keys = ["{lockkeeper}:login:abc", "{lockkeeper}secret", "lockkeeper:hold:{a}"];
    for (const key of keys) await direct.set(key, "secret", "PX", 60_000);
    const rules = { findFormat: () => "token" as const };
    for (const observation of await readKeys(direct, keys, rules)) {
      expect(observation).toEqual({
        ...{ state: "not_a_lock", type: "unknown" },
        ...{ key: observation.key, asOf: expect.any(Number) },
      });
    }
  });
});
