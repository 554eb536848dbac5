import type { Redis } from "ioredis";
import { countWaiters } from "./test-locks.ts";
import { waitUntil } from "./test-server.ts";

/**
 * Waits until this number of Lockkeeper's clients are waiting for the lock, and then until the next millisecond of the
 * Redis clock. Waiters that began in the same millisecond have no order.
 */
export async function waitForWaiters(redis: Redis, key: string, waiters: number): Promise<void> {
  await waitUntil(async () => (await countWaiters(redis, key)) === waiters);
  const listedAt = await readTimeMs(redis);
  await waitUntil(async () => (await readTimeMs(redis)) > listedAt);
}

async function readTimeMs(redis: Redis): Promise<number> {
  const [seconds, us] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(us) / 1000);
}
