import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { FormatRules } from "../../server/formats/format-rules.ts";
import { formatTest } from "../support/fixtures.ts";
import { getOwners, RESERVED_BY_MEI } from "../support/observed-lock.ts";
import { createRedissonOwner } from "../support/test-locks.ts";

const it = formatTest();
const LEASE_MS = 20_000;

type Plant = (redis: Redis, key: string) => Promise<unknown>;

const plantString =
  (value: string): Plant =>
  (redis, key) =>
    redis.set(key, value, "PX", LEASE_MS);

function plantHash(fields: Record<string, string>): Plant {
  return (redis, key) => redis.multi().hset(key, fields).pexpire(key, LEASE_MS).exec();
}

function plantSymfony(...members: readonly string[]): Plant {
  return async (redis, key) => {
    const end = Date.now() + LEASE_MS;
    for (const member of members) await redis.zadd(key, end, member);
    await redis.pexpireat(key, end);
  };
}

const symfonyToken = () => randomBytes(32).toString("base64");

/** Locks of other libraries that an operator can reserve. */
const FOREIGN: readonly (readonly [name: string, plant: Plant])[] = [
  ["Redisson lock", plantHash({ [createRedissonOwner()]: "2" })],
  [
    "Redisson read lock",
    plantHash({ mode: "read", [createRedissonOwner()]: "1", [createRedissonOwner(8)]: "1" }),
  ],
  ["Redisson write lock", plantHash({ mode: "write", [`${createRedissonOwner()}:write`]: "1" })],
  ["Redisson hash of two owners", plantHash({ [createRedissonOwner()]: "1", [createRedissonOwner(8)]: "1" })],
  ["token of node-redlock", plantString(randomBytes(16).toString("hex"))],
  ["token of redis-semaphore", plantString(randomUUID())],
  ["token of redsync", plantString(randomBytes(16).toString("base64"))],
  ["timestamp in ms", (redis, key) => redis.set(key, String(Date.now() + LEASE_MS))],
  ["timestamp in s", (redis, key) => redis.set(key, String(Math.ceil((Date.now() + LEASE_MS) / 1000)))],
  ["Symfony exclusive lock", plantSymfony("__write__", symfonyToken())],
  ["Symfony shared lock", plantSymfony(symfonyToken(), symfonyToken())],
];

describe.each(FOREIGN)("reservation of a reservation: %s", (name, plant) => {
  it("the same operator extends, shortens and ends it, and no client can acquire it in between", async ({
    direct,
    key,
    observeHeld,
    observe,
    forceRelease,
  }) => {
    await plant(direct, key);
    const rules = new FormatRules(
      name.startsWith("timestamp") ? [{ pattern: key, format: "timestamp" }] : [],
    );
    const observeNow = () => observeHeld(key, rules);
    for (const reservedMs of [60_000, 600_000, 30_000]) {
      expect(await forceRelease(await observeNow(), { reservedMs })).toBe("released");
      const reserved = await observeNow();
      expect(getOwners(reserved).map((owner) => owner.replace(/:write$/, ""))).toEqual([RESERVED_BY_MEI]);
      const leftMs = await direct.pttl(key);
      expect(leftMs).toBeGreaterThan(reservedMs - 5000);
      expect(leftMs).toBeLessThan(reservedMs + 5000);
    }
    expect(await forceRelease(await observeNow())).toBe("released");
    expect((await observe(key)).state).toBe("free");
    expect(await direct.exists(key)).toBe(0);
  });
});
