import type { Redis } from "ioredis";
import { sleepMs } from "./test-locks.ts";

// Times are compared with what this process does itself meanwhile: a busy machine delays both.

/** Whether a promise settles before a timer of so many ms that starts with it. */
export function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, sleepMs(ms).then(() => false)]);
}

/** @returns `performance.now()` when a client that waits for so long and then asks Redis has its reply */
export async function measureReplyTime(direct: Redis, afterMs: number): Promise<number> {
  await sleepMs(afterMs);
  await direct.ping();
  return performance.now();
}
