import type { Redis } from "ioredis";
import { sleepMs } from "./test-locks.ts";

// Times are compared with those of the same process: a busy machine delays both.

/** Whether a promise settles before a timer of `ms` milliseconds that starts at the same time. */
export function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, sleepMs(ms).then(() => false)]);
}

/**
 * Measures when a client that waits `afterMs` and then asks Redis gets its reply. @returns the `performance.now()` of
 * the reply
 */
export async function measureReplyTime(direct: Redis, afterMs: number): Promise<number> {
  await sleepMs(afterMs);
  await direct.ping();
  return performance.now();
}
