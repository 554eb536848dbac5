import { describe, expect, it } from "vitest";
import { WaitTimeoutError } from "../../server/errors/lock-errors.ts";
import { buildWaitersKey } from "../../server/formats/keys.ts";
import { catchLockError, getErrorCode, sleepMs } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import { type ConformanceFixture, SHORT_MS } from "./conformance-fixture.ts";

/** Minimum time after which a waiter retries without a message, in milliseconds: 2 s minus up to 20% of jitter. */
const LOOKS_AGAIN_MS = 1600;

/** Measures the duration of a call in ms. */
async function measureMs(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await call();
  return performance.now() - startedAt;
}

export function describeWaiting(scene: ConformanceFixture): void {
  const wanted = (waitMs: number) => scene.toHoldOptions({ waitMs, renew: false, leaseMs: 10_000 });
  const isAwaited = async (key: string) =>
    (await scene.runOnServers(key, (redis) => redis.zcard(String(buildWaitersKey(key))))) > 0;

  describe("one waiter", () => {
    it("a waiter is woken by a release well before its next poll", async () => {
      const key = scene.createKey();
      const [one, two] = scene.opened.clients;
      const hold = await one.acquire(key, scene.toHoldOptions());
      const waits = two.acquire(key, wanted(15_000));
      await waitUntil(() => isAwaited(key));
      // Waits until the attempt that follows the subscription. After this attempt, only a wake-up causes another
      // attempt soon.
      await sleepMs(150);
      expect(await measureMs(() => Promise.all([hold.release(), waits]))).toBeLessThan(LOOKS_AGAIN_MS / 2);
      await (await waits).release();
    });

    it("a waiter is granted the lock when a lease expires without a message", async () => {
      const key = scene.createKey();
      const [one, two] = scene.opened.clients;
      await one.acquire(key, scene.toHoldOptions({ leaseMs: SHORT_MS, renew: false }));
      const ms = await measureMs(() => two.acquire(key, wanted(15_000)));
      expect(ms).toBeGreaterThan(SHORT_MS * 0.7);
      expect(ms).toBeLessThan(SHORT_MS + scene.roundedMs + scene.marginMs + 1000);
    });

    it("a waiter finds a lock that was deleted without a message", async () => {
      const key = scene.createKey();
      const [, two] = scene.opened.clients;
      await scene.acquire(key, "me");
      const waits = two.acquire(key, wanted(15_000));
      await waitUntil(() => isAwaited(key));
      await scene.deleteKey(key);
      expect((await waits).count).toBe(1);
    });

    it("two waits of one owner are granted one after the other", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      const both = [1, 2].map(() => scene.acquire(key, "you", { waitMs: 15_000 }));
      await waitUntil(() => isAwaited(key));
      await scene.release(hold);
      const first = await Promise.race(both);
      expect(await scene.countHold(first)).toBe(1);
      await scene.release(first);
      const [one, two] = await Promise.all(both);
      expect(one?.token).not.toBe(two?.token);
      expect([one?.count, two?.count]).toEqual([1, 1]);
    });

    it("a waiter times out with the current holder in the error and acquires nothing later", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      const startedAt = performance.now();
      const refusal = await catchLockError(scene.acquire(key, "you", { waitMs: 300 }));
      const ms = performance.now() - startedAt;
      if (!(refusal instanceof WaitTimeoutError)) throw refusal;
      expect(refusal.facts.holders.map(({ owner }) => owner)).toEqual(["me"]);
      expect(ms).toBeGreaterThanOrEqual(295);
      expect(ms).toBeLessThan(1300);
      await waitUntil(async () => !(await isAwaited(key)));
      await scene.release(hold);
      await sleepMs(50);
      expect(await scene.countKeys(key)).toBe(0);
    });

    it("an aborted wait acquires nothing later", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      const off = new AbortController();
      const waits = getErrorCode(scene.acquire(key, "you", { waitMs: 15_000, signal: off.signal }));
      await waitUntil(() => isAwaited(key));
      off.abort();
      expect(await waits).toBe("aborted");
      await waitUntil(async () => !(await isAwaited(key)));
      await scene.release(hold);
      await sleepMs(50);
      expect(await scene.countKeys(key)).toBe(0);
    });
  });

  describe("many waiters", () => {
    it("all of 12 waiters are granted the lock, one at a time, with rising fencing tokens", async () => {
      const key = scene.createKey();
      const hold = await scene.opened.clients[0].acquire(key, scene.toHoldOptions());
      const fences: bigint[] = [];
      let inside = 0;
      const all = Array.from({ length: 12 }, (_, n) =>
        (scene.opened.clients[n % 2] ?? scene.opened.clients[0]).withLock(
          key,
          wanted(15_000),
          async ({ fence }) => {
            expect(++inside).toBe(1);
            fences.push(BigInt(fence));
            await sleepMs(1);
            inside--;
          },
        ),
      );
      await waitUntil(() => isAwaited(key));
      await hold.release();
      await Promise.all(all);
      expect(fences).toEqual(fences.toSorted((a, b) => (a < b ? -1 : 1)));
      expect(new Set(fences).size).toBe(12);
    });
  });
}

export function describeContention(scene: ConformanceFixture, rounds: number): void {
  describe("contention", () => {
    it(`a counter is exact after ${rounds} rounds of reading and writing it under the lock`, async () => {
      const key = scene.createKey();
      const [one, two] = scene.opened.clients;
      let counter = 0;
      let left = rounds;
      const run = async (client: typeof one) => {
        while (left-- > 0) {
          await client.withLock(key, scene.toHoldOptions({ waitMs: 20_000 }), async () => {
            const seen = counter;
            await new Promise((resolve) => setImmediate(resolve));
            counter = seen + 1;
          });
        }
      };
      await Promise.all([run(one), run(two), run(two)]);
      expect(counter).toBe(rounds);
      expect(await scene.countKeys(key)).toBe(0);
    });
  });
}
