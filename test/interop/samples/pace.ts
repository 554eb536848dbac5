import { setTimeout as sleep } from "node:timers/promises";
import type { Semaphore } from "../../../server/concurrency/semaphore.ts";

const POLL_MS = 50;

/**
 * Checks a condition every 50 ms until it holds.
 *
 * @throws if the condition does not hold within `withinMs`
 */
export async function poll(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not happen within ${withinMs} ms: ${holds}`);
    await sleep(POLL_MS);
  }
}

/** Acquires a permit of the semaphore, runs a task and releases the permit. */
export async function runWithin<Result>(semaphore: Semaphore, task: () => Promise<Result>): Promise<Result> {
  await semaphore.acquire();
  try {
    return await task();
  } finally {
    semaphore.release();
  }
}
