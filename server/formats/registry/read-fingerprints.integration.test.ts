import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { type KeyFingerprint, readFingerprints } from "./read-fingerprints.ts";

const it = redisTest();

async function readOne(redis: Redis, key: string): Promise<KeyFingerprint> {
  const [reading] = await readFingerprints(redis, [key], "together");
  if (typeof reading !== "object") throw new Error(`${key} is ${reading}`);
  return reading;
}

type Change = (redis: Redis, key: string) => Promise<unknown>;

describe("fingerprints", () => {
  it.for<[string, Change, Change]>([
    ["a string", (redis, key) => redis.set(key, "one"), (redis, key) => redis.set(key, "two")],
    ["a hash", (redis, key) => redis.hset(key, "a", 1), (redis, key) => redis.hincrby(key, "a", 1)],
    ["a set", (redis, key) => redis.sadd(key, "a", "b"), (redis, key) => redis.srem(key, "a")],
    ["a sorted set", (redis, key) => redis.zadd(key, 1, "a"), (redis, key) => redis.zadd(key, 2, "a")],
    [
      "the type of a key",
      (redis, key) => redis.set(key, "a"),
      (redis, key) => redis.multi().del(key).sadd(key, "a").exec(),
    ],
  ])(
    "%s that changes has another digest, and the same one until then",
    async ([, write, change], { direct, key }) => {
      await write(direct, key);
      const before = await readOne(direct, key);
      expect(before.deadlineMs).toBeUndefined();
      expect(await readOne(direct, key)).toEqual(before);
      await change(direct, key);
      expect((await readOne(direct, key)).digest).not.toBe(before.digest);
    },
  );

  it("a renewal moves the deadline, and time alone does not", async ({ direct, key }) => {
    await direct.set(key, "one", "PX", 60_000);
    const before = (await readOne(direct, key)).deadlineMs ?? 0;
    for (let times = 0; times < 20; times++) {
      expect(Math.abs(((await readOne(direct, key)).deadlineMs ?? 0) - before)).toBeLessThanOrEqual(5);
    }
    await direct.pexpire(key, 90_000);
    expect((await readOne(direct, key)).deadlineMs ?? 0).toBeGreaterThan(before + 20_000);
  });

  it("a key that does not exist is gone, in its place among others", async ({ direct }) => {
    const keys = Array.from({ length: 120 }, () => createTestKey());
    for (const [at, key] of keys.entries()) if (at % 2 === 0) await direct.set(key, at);
    for (const calls of ["together", "apart"] as const) {
      const readings = await readFingerprints(direct, keys, calls);
      expect(readings.map((reading) => reading === "gone")).toEqual(keys.map((_, at) => at % 2 === 1));
    }
  });

  it("the content of a large value is not read", async ({ direct, key }) => {
    await direct.hset(key, "a", "x".repeat(2 * 1024 * 1024));
    const before = await readOne(direct, key);
    await direct.hset(key, "b", 1);
    expect((await readOne(direct, key)).digest).not.toBe(before.digest);
  });

  it("a key that the user may not read does not hide the others", async ({ redis, direct }) => {
    const keys = ["lock:mine", "lock:theirs", "lock:mine:2"];
    for (const key of keys) await direct.set(key, "one");
    await direct.call("ACL", "SETUSER", "narrow", "reset", "on", ">secret", "~lock:mine*", "+@all");
    const user = redis.createClient();
    await user.auth("narrow", "secret");
    const readings = await readFingerprints(user, keys, "together");
    expect(readings.map((reading) => typeof reading)).toEqual(["object", "string", "object"]);
    expect(readings[1]).toBe("failed");
  });
});
