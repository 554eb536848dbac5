import { expect } from "../figures.ts";
import {
  acquireHold,
  expectReleased,
  expectShown,
  expectWoken,
  releaseHold,
  WAIT_MS,
  waitBehind,
} from "./lock-steps.ts";
import type { RedissonSetup } from "./redisson-objects.ts";
import { createWaiterEstimate } from "./release-scenario.ts";

/**
 * Format rule for keys that contain only a number. Lockkeeper distinguishes semaphores from latches by their waiters.
 */
export const COUNTED = "orders:counted:*=redisson";
const SHOWN = { format: "redisson", confidence: "likely", candidates: [] } as const;

/** Force-releases a permit of an unknown holder. Checks that a waiter acquires the permit at once. */
export async function forceReleaseSemaphore({ operator, redis, party }: RedissonSetup): Promise<string> {
  const key = "orders:counted:permits";
  const [holder, waiter] = [party("a", "semaphore"), party("b", "semaphore")];
  await holder.peer.ask("prepare", [holder.who, "semaphore", key, 1]);
  await acquireHold(holder, key, 0);
  expect("what may be done while nobody waits", (await operator.readLock(key)).release?.may, "never");
  const waiting = await waitBehind(operator, waiter, key, { waiters: createWaiterEstimate(1) });
  const lock = await operator.readLock(key);
  expectShown(lock, { ...SHOWN, kind: "semaphore", holders: [{ owner: "unnamed" }] });
  expect("the permits as shown", lock.permits, { available: 0, total: null });
  const freed = await operator.forceRelease(key, lock.version);
  const wokenMs = await expectWoken(waiting.held, freed, key);
  await operator.expectEventOnce(key, "unnamed");
  await expectReleased(holder, key);
  expect("permits while one is out: one more than before", await redis.get(key), "1");
  await expectReleased(waiter, key);
  return `RSemaphore ${wokenMs} ms`;
}

/** Opens a latch by force. Checks that all waiters are woken. */
export async function openLatch({ operator, redis, party }: RedissonSetup): Promise<string> {
  const key = "orders:counted:latch";
  const [first, second] = [party("a", "latch"), party("b", "latch")] as const;
  await first.peer.ask("prepare", [first.who, "latch", key, 2]);
  const early = acquireHold(first, key, WAIT_MS);
  const late = await waitBehind(operator, second, key, { waiters: createWaiterEstimate(2) });
  const lock = await operator.readLock(key);
  expectShown(lock, { ...SHOWN, kind: "latch", holders: [{ owner: "unnamed", count: 2 }] });
  const freed = await operator.forceRelease(key, lock.version);
  const wokenMs = await Promise.all([early, late.held].map((each) => expectWoken(each, freed, key)));
  await operator.expectEventOnce(key, "unnamed");
  expect("a count down that comes too late", await releaseHold(first, key), {
    outcome: "released",
    said: "",
  });
  expect("the latch after it", await redis.exists(key), 0);
  return `RCountDownLatch ${Math.max(...wokenMs)} ms`;
}
