import { expect } from "vitest";
import type { LockClient } from "../../server/locks/client/lock-client.ts";
import { getErrorCode, measureMs, sleepMs } from "../support/test-locks.ts";

const SEMAPHORE = { kind: "semaphore", limit: 3 } as const;
const PLAIN = { kind: "plain_semaphore", limit: 3 } as const;
/** A lease in milliseconds that is long enough to be renewed in time on a busy machine. */
const RENEWED_MS = 1500;
/** Maximum time for a waiter that is woken, in milliseconds. Without a message, a waiter retries after 2 s. */
const WOKEN_WITHIN_MS = 1500;

/** Checks semaphores and latches with two clients. */
export async function checkSharedObjects(one: LockClient, two: LockClient, key: string): Promise<void> {
  await checkSemaphore(one, two, key);
  await checkPlainSemaphore(one, two, `${key}:plain`);
  await checkLatch(one, two, `${key}:latch`);
}

async function checkSemaphore(one: LockClient, two: LockClient, key: string): Promise<void> {
  const held = await one.acquire(key, { ...SEMAPHORE, permits: 2, leaseMs: RENEWED_MS });
  const other = await two.acquire(key, { ...SEMAPHORE });
  expect(Number(other.fence)).toBeGreaterThan(Number(held.fence));
  expect(await getErrorCode(two.acquire(key, SEMAPHORE))).toBe("held");
  expect(await getErrorCode(two.acquire(key, { kind: "semaphore", limit: 4 }))).toBe("limit_conflict");
  // The watchdog of the first client renews its hold.
  await sleepMs(RENEWED_MS + 500);
  held.assertHeld();
  const waiting = two.acquire(key, { ...SEMAPHORE, permits: 2, waitMs: 20_000 });
  await sleepMs(200);
  const woken = measureMs(waiting);
  expect((await held.release()).outcome).toBe("released");
  expect(await woken).toMatchObject({ code: "ok" });
  expect((await woken).ms).toBeLessThan(WOKEN_WITHIN_MS);
  expect(await one.setLimit(key, 5)).toMatchObject({ available: 2, acquired: 3 });
  for (const hold of [other, await waiting]) expect((await hold.release()).outcome).toBe("released");
  expect(await two.setLimit(key, 5)).toMatchObject({ available: 5, acquired: 0 });
}

async function checkPlainSemaphore(one: LockClient, two: LockClient, key: string): Promise<void> {
  const held = await one.acquire(key, { ...PLAIN, permits: 2, leaseMs: RENEWED_MS });
  const dead = await two.acquire(key, { ...PLAIN, leaseMs: 3000, renew: false });
  expect(Number(dead.fence)).toBeGreaterThan(Number(held.fence));
  expect(await getErrorCode(two.acquire(key, PLAIN))).toBe("held");
  expect(await getErrorCode(two.acquire(key, SEMAPHORE))).toBe("kind_conflict");
  // The permit of the hold without a watchdog is returned when its lease ends. The watchdog renews the other hold.
  const next = await two.acquire(key, { ...PLAIN, waitMs: 20_000 });
  held.assertHeld();
  const waiting = two.acquire(key, { ...PLAIN, permits: 2, waitMs: 20_000 });
  await sleepMs(200);
  const woken = measureMs(waiting);
  expect((await held.release()).outcome).toBe("released");
  expect(await woken).toMatchObject({ code: "ok" });
  expect((await woken).ms).toBeLessThan(WOKEN_WITHIN_MS);
  for (const hold of [next, await waiting]) expect((await hold.release()).outcome).toBe("released");
  const all = await one.acquire(key, { ...PLAIN, permits: 3 });
  expect((await all.release()).outcome).toBe("released");
}

async function checkLatch(one: LockClient, two: LockClient, key: string): Promise<void> {
  const [first, second] = [one.latch(key), two.latch(key)];
  expect(await first.trySetCount(2)).toBe(true);
  expect(await second.trySetCount(2)).toBe(false);
  const waits = measureMs(Promise.all([first.await(), second.await()]));
  await sleepMs(200);
  expect(await second.countDown()).toBe(1);
  expect(await first.countDown()).toBe(0);
  const { code, ms } = await waits;
  expect(code).toBe("ok");
  expect(ms).toBeLessThan(WOKEN_WITHIN_MS);
  expect(await second.getCount()).toBe(0);
}
