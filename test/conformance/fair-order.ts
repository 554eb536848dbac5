import { describe, expect, it } from "vitest";
import { buildFairKeys, buildFairQueueKeys, buildFairWakeChannel } from "../../server/formats/keys.ts";
import { createRedissonOwner, getErrorCode, sleepMs } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import type { ConformanceFixture } from "./conformance-fixture.ts";

/** Minimum time after which a waiter retries without a message, in milliseconds: 2 s minus up to 20% of jitter. */
const LOOKS_AGAIN_MS = 1600;

/** Registers the tests of a fair lock's queue. */
export function describeFairOrder(scene: ConformanceFixture): void {
  if (scene.format.kind !== "fair") return;
  const countQueued = (key: string) =>
    scene.runOnServers(key, (redis) => redis.llen(String(buildFairQueueKeys(key)[0])));
  const countQueueKeys = (key: string) =>
    scene.runOnServers(key, (redis) => redis.exists(buildFairKeys(key).map(String)));

  /**
   * Lets waiters of both clients join the queue one after another. Each waiter adds its number to `served` when it
   * acquires the lock.
   */
  async function queueUp(key: string, count: number, served: number[]): Promise<Promise<void>[]> {
    const waits: Promise<void>[] = [];
    const before = await countQueued(key);
    for (let n = 0; n < count; n++) {
      const client = scene.opened.clients[n % 2] ?? scene.opened.clients[0];
      waits.push(
        client.withLock(key, scene.toHoldOptions({ waitMs: 20_000, renew: false }), async () => {
          served.push(n);
        }),
      );
      await waitUntil(async () => (await countQueued(key)) === before + n + 1);
    }
    return waits;
  }

  describe("order", () => {
    it("waiters of two clients are served in the order in which they came, each woken by the one before", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      const served: number[] = [];
      const waits = await queueUp(key, 8, served);
      await sleepMs(100);
      const startedAt = performance.now();
      await scene.release(hold);
      await Promise.all(waits);
      expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(performance.now() - startedAt).toBeLessThan(LOOKS_AGAIN_MS);
      expect(await countQueueKeys(key)).toBe(0);
    });

    it("an acquire that does not wait is refused while the lock is free and others are waiting", async () => {
      const key = scene.createKey();
      const waiter = createRedissonOwner();
      const [queue = "", ends = ""] = buildFairQueueKeys(key).map(String);
      await scene.runOnServers(key, (redis) => redis.rpush(queue, waiter));
      await scene.runOnServers(key, (redis) => redis.zadd(ends, Date.now() + 300_000, waiter));
      expect(await getErrorCode(scene.acquire(key, "me"))).toBe("held");
      expect(await scene.countKeys(key)).toBe(0);
      await scene.runOnServers(key, (redis) => redis.del(queue, ends));
      expect((await scene.acquire(key, "me")).kind).toBe("fair");
    });

    it("a first waiter that leaves a free lock wakes the next one", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      const off = new AbortController();
      const first = getErrorCode(scene.acquire(key, "first", { waitMs: 15_000, signal: off.signal }));
      await waitUntil(async () => (await countQueued(key)) === 1);
      const served: number[] = [];
      const waits = await queueUp(key, 1, served);
      await sleepMs(100);
      // Deletes the lock without a message. No waiter retries within the next second.
      await scene.deleteKey(key);
      const startedAt = performance.now();
      off.abort();
      expect(await first).toBe("aborted");
      await Promise.all(waits);
      expect(performance.now() - startedAt).toBeLessThan(LOOKS_AGAIN_MS / 2);
      expect(await scene.verify(hold)).toMatchObject({ held: false });
      expect(await countQueueKeys(key)).toBe(0);
    });

    it("a client of Redisson that is next is woken when a lease expires without a message", async () => {
      const key = scene.createKey();
      const [server] = scene.opened.findServers(key);
      const listener = server?.duplicate();
      if (listener === undefined) throw new Error("the key has no server");
      const waiter = createRedissonOwner();
      const isSharded = scene.opened.wakesBy === "SPUBLISH";
      const channel = String(buildFairWakeChannel(key, waiter));
      const heard: string[] = [];
      for (const event of ["message", "smessage"]) {
        listener.on(event, (_: string, message: string) => heard.push(message));
      }
      await (isSharded ? listener.ssubscribe(channel) : listener.subscribe(channel));
      await scene.acquire(key, "me", { leaseMs: 300 });
      const [queue = "", ends = ""] = buildFairQueueKeys(key).map(String);
      await scene.runOnServers(key, (redis) => redis.rpush(queue, waiter));
      await scene.runOnServers(key, (redis) => redis.zadd(ends, Date.now() + 300_000, waiter));
      const off = new AbortController();
      const behind = getErrorCode(scene.acquire(key, "you", { waitMs: 15_000, signal: off.signal }));
      await waitUntil(() => heard.length > 0);
      expect(heard[0]).toBe("0");
      off.abort();
      expect(await behind).toBe("aborted");
      listener.disconnect();
    });
  });
}
