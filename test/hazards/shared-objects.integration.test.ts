import { expect } from "vitest";
import { buildSemaphoreChannel } from "../../server/formats/redisson/redisson-keys.ts";
import { readSemaphore } from "../support/read-semaphore.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createTakePermits, semaphoreTest } from "../support/semaphore-fixture.ts";
import { createTestKey, measureMs } from "../support/test-locks.ts";
import { startTestProxy } from "../support/test-proxy.ts";
import { waitUntil } from "../support/test-server.ts";

const it = semaphoreTest();

const WORKERS = 4;
const ROUNDS = 60;
const LIMIT = 5;
const KINDS = ["semaphore", "plain_semaphore"] as const;

it.for(KINDS)(
  "hazard 3: with one in fifty replies lost, permits of a %s and counts of a latch stay exact",
  {
    timeout: 60_000,
  },
  async (kind, { env, direct }) => {
    const [key, latch] = [createTestKey(), createTestKey()];
    const proxy = await startTestProxy(env.redis.port, createSeededRandom(42));
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => env.openVerbs(proxy.port)));
    await env.locks.latches.trySetCount(latch, WORKERS * ROUNDS + 1);
    proxy.dropShare = 0.02;
    const fences = await Promise.all(
      workers.map(async ({ locks }, at) => {
        const take = createTakePermits(locks, kind);
        const seen: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const hold = await take(key, 1 + (at % 2), { limit: LIMIT, waitMs: 20_000 });
          seen.push(Number(hold.fence));
          expect(await locks.release(hold)).toMatchObject({ outcome: "released" });
          await locks.latches.countDown(latch);
        }
        return seen;
      }),
    );
    expect(proxy.droppedCount).toBeGreaterThan(WORKERS);
    expect(new Set(fences.flat()).size).toBe(WORKERS * ROUNDS);
    for (const each of fences) expect(each).toEqual(each.toSorted((a, b) => a - b));
    expect(await readSemaphore(direct, key, kind)).toEqual({ available: String(LIMIT), acquired: 0 });
    expect(await direct.get(latch)).toBe("1");
    await proxy.stop();
  },
);

it.for(KINDS)(
  "hazard 8: a release of a %s while the waiter's subscription is interrupted is not missed",
  async (kind, { env, direct, locks, key }) => {
    const hold = await createTakePermits(locks, kind)(key, 1, { limit: 1 });
    const other = await env.openVerbs();
    const waiting = measureMs(createTakePermits(other.locks, kind)(key, 1, { waitMs: 20_000 }));
    const channel = String(buildSemaphoreChannel(key));
    const isSubscribed = async () =>
      ((await direct.call("PUBSUB", "NUMSUB", channel)) as [string, number])[1] === 1;
    await waitUntil(isSubscribed);
    await direct.call("CLIENT", "KILL", "TYPE", "pubsub");
    await locks.release(hold);
    const { code, ms } = await waiting;
    expect(code).toBe("ok");
    expect(ms).toBeLessThan(1500);
  },
);
