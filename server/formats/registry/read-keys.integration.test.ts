import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { createForeignOwner } from "../../../test/support/test-watcher.ts";
import { NO_RULES } from "../format-rules.ts";
import { buildCompanionKey, buildWaitersKey } from "../keys.ts";
import type { Observation } from "../observation.ts";
import { readKeys, readRawKey } from "./read-keys.ts";

const it = redisTest();

/** Creates keys of each type, with sizes around the limits. Reading all of them takes more than one call. */
async function plantKeys(direct: Redis): Promise<string[]> {
  const plants: ((key: string) => Promise<unknown>)[] = [
    async () => undefined,
    (key) => direct.set(key, createForeignOwner(), "PX", 60_000),
    (key) => direct.set(key, "x".repeat(2000)),
    (key) => direct.hset(key, createForeignOwner(), "2"),
    (key) => direct.hset(key, "field", "x".repeat(20_000)),
    (key) => direct.hset(key, Buffer.from([0xff, 0x0a]), "1"),
    (key) => direct.zadd(key, Date.now() + 60_000, "permit"),
    (key) => direct.sadd(key, "a", "b"),
    (key) => direct.rpush(key, "waiting"),
    (key) => direct.xadd(key, "*", "a", "b"),
    (key) => direct.set(String(buildCompanionKey(key)), "y".repeat(20_000)),
    (key) => direct.hset(String(buildCompanionKey(key)), "a", "b"),
    (key) => direct.zadd(String(buildWaitersKey(key)), Date.now() + 60_000, "request\t1\towner"),
  ];
  const planted = Array.from({ length: 40 }, (_, n) => ({
    key: createTestKey(),
    plant: plants[n % plants.length],
  }));
  for (const { key, plant } of planted) await plant?.(key);
  return planted.map(({ key }) => key);
}

/**
 * Removes times, which differ between reads, and subscriber counts, which are present only if several keys are read.
 */
function withoutTimes(observation: Observation): object {
  const { waiters, ...rest } = { waiters: undefined, ...observation };
  return { ...rest, asOf: 0, remainingMs: 0, ...(waiters?.known === "estimated" ? {} : { waiters }) };
}

describe("several keys in one script call", () => {
  it("each key is read as it is read alone", async ({ direct }) => {
    const keys = await plantKeys(direct);
    const together = await readKeys(direct, keys);
    const alone: Observation[] = [];
    for (const key of keys) alone.push((await readRawKey(direct, key, NO_RULES)).observation);
    expect(together.map(withoutTimes)).toEqual(alone.map(withoutTimes));
    expect(together.map(({ key }) => key)).toEqual(keys);
  });

  it("a key that the Redis user may not access is forbidden, and the others of its call are read", async ({
    redis,
    direct,
  }) => {
    const [before, forbidden, after] = ["lock:a", "secret:b", "lock:c"].map(
      (name) => `${name}:${createTestKey()}`,
    );
    const keys = [before, forbidden, after].filter((key) => key !== undefined);
    for (const key of keys) await direct.hset(key, createForeignOwner(), "1");
    await direct.call(
      ...["ACL", "SETUSER", "part", "reset", "on", ">secret", "&*", "+@all"],
      ...["~lock:*", "~*{lock:*", "~*lock__*"],
    );
    const user = redis.createClient();
    await user.auth("part", "secret");
    expect(await readKeys(user, keys)).toMatchObject([
      { key: before, state: "held" },
      { key: forbidden, state: "unreadable", reason: "forbidden" },
      { key: after, state: "held" },
    ]);
  });

  it("sixteen keys cost one script call", async ({ direct }) => {
    const keys = Array.from({ length: 16 }, () => createTestKey());
    for (const key of keys) await direct.hset(key, createForeignOwner(), "1");
    await readKeys(direct, keys);
    await direct.config("RESETSTAT");
    await readKeys(direct, keys);
    expect(String(await direct.info("commandstats"))).toMatch(/cmdstat_evalsha:calls=1,/);
  });
});
