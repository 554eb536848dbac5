import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Redis } from "ioredis";
import { sleepMs } from "./test-locks.ts";

// These functions compare times with other times of the same process, because a busy machine delays both.

/** Returns whether a promise settles before a timer of `ms` milliseconds that starts at the same time. */
export function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, sleepMs(ms).then(() => false)]);
}

/**
 * Measures when a client receives a reply from Redis to a command that is sent after `afterMs`. @returns the
 * `performance.now()` of the reply
 */
export async function measureReplyTime(direct: Redis, afterMs: number): Promise<number> {
  await sleepMs(afterMs);
  await direct.ping();
  return performance.now();
}

/**
 * Runs a test whose hold must be renewed in time. If the test fails and this process was blocked for at least a quarter
 * of the lease, the test runs again with twice the lease.
 *
 * @param leaseMs lease of the first run in milliseconds. The lease of the last run is at most 4 times as long
 */
export async function testRenewal(leaseMs: number, test: (leaseMs: number) => Promise<void>): Promise<void> {
  for (let ms = leaseMs; ; ms *= 2) {
    const delays = monitorEventLoopDelay({ resolution: 10 });
    delays.enable();
    try {
      return await test(ms);
    } catch (error) {
      if (delays.max / 1e6 < ms / 4 || ms >= 4 * leaseMs) throw error;
    } finally {
      delays.disable();
    }
  }
}
