import type { Redis } from "ioredis";
import { expect } from "vitest";
import { waitUntil } from "../../support/test-server.ts";
import { topologyTest } from "../servers/topology-test.ts";
import { getFault } from "./catalog.ts";
import type { ChaosEnvironment } from "./fault.ts";

const it = topologyTest().extend(
  "during",
  { scope: "file" },
  ({ topology }) =>
    async (fault: string, chance: number, look: () => Promise<void>) => {
      // Memory faults do not use the workers.
      const locks = [{ key: "lock:s", kind: "semaphore" }];
      const stage = { topology, locks } as unknown as ChaosEnvironment;
      const planned = { fault, atMs: 0, forMs: 0, target: 0, chance, stepMs: 0 };
      await getFault(fault).begin(stage, planned);
      try {
        await look();
      } finally {
        await getFault(fault).end(stage, planned);
      }
    },
);

const countEvicted = async (redis: Redis) =>
  Number(/evicted_keys:(\d+)/.exec(await redis.info("stats"))?.[1]);

it("the eviction fault evicts the lock that expires first and leaves nothing behind", async ({
  redis,
  during,
}) => {
  await redis.set("lock:a", "x", "PX", 60_000);
  await during("evict", 0.9, () => waitUntil(async () => (await redis.exists("lock:a")) === 0));
  expect(await redis.keys("*")).toEqual([]);
  await redis.set("lock:a", "x".repeat(4_000_000), "PX", 60_000);
  expect(await redis.exists("lock:a")).toBe(1);
});

it("the eviction fault evicts the least recently used key", async ({ redis, during }) => {
  await redis.set("lockkeeper:hold:{lock:a}", "x", "PX", 600_000);
  await waitUntil(async () => Number(await redis.object("IDLETIME", "lockkeeper:hold:{lock:a}")) > 0);
  const before = await countEvicted(redis);
  await during("evict", 0.1, async () => {
    expect(await redis.exists("lockkeeper:hold:{lock:a}")).toBe(0);
    expect(await countEvicted(redis)).toBeGreaterThan(before + 1);
  });
});

it("the eviction fault deletes a semaphore whose permits were evicted, and no other", async ({
  redis,
  during,
}) => {
  await redis.set("lock:s", 3);
  await redis.zadd("{lock:s}:timeout", 1, "p1", 1, "p2");
  await during("evict", 0.9, async () => undefined);
  expect(await redis.get("lock:s")).toBe("3");
  await during("evict", 0.9, async () => void (await redis.del("{lock:s}:timeout")));
  expect(await redis.exists("lock:s")).toBe(0);
});

it("the eviction fault goes on if the server finds nothing more to evict", async ({ redis }) => {
  // Before each filler key, adds data without a TTL, which the server must not evict.
  const set = async (...part: [string, string, "EX", number]) => {
    await redis.rpush("lock:large", "x".repeat(256_000)).catch(() => undefined);
    return await redis.set(...part);
  };
  const growing = new Proxy(redis, {
    get: (of, name) => (name === "set" ? set : Reflect.get(of, name).bind(of)),
  });
  const stage = { topology: { getConnection: () => growing }, locks: [] } as unknown as ChaosEnvironment;
  const planned = { fault: "evict", atMs: 0, forMs: 0, target: 0, chance: 0.9, stepMs: 0 };
  await getFault("evict").begin(stage, planned);
  await getFault("evict").end(stage, planned);
  expect(await redis.del("lock:large")).toBe(1);
});

it("the full-memory fault rejects writes and allows deletes until it ends", async ({ redis, during }) => {
  await redis.set("lock:a", "x", "PX", 60_000);
  await during("full-memory", 0.5, async () => {
    await expect(redis.set("lock:b", "x", "PX", 60_000)).rejects.toThrow("OOM");
    expect(await redis.del("lock:a")).toBe(1);
  });
  expect(await redis.set("lock:b", "x", "PX", 60_000)).toBe("OK");
});
