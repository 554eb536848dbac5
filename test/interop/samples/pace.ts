import { setTimeout as sleep } from "node:timers/promises";
import type { Semaphore } from "../../../server/concurrency/semaphore.ts";

const POLL_MS = 50;

/** Waits for something outside this process without using much CPU. @throws if it takes too long */
export async function poll(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not happen within ${withinMs} ms: ${holds}`);
    await sleep(POLL_MS);
  }
}

/** Runs a task when the semaphore has a free permit. */
export async function runWithin<Result>(semaphore: Semaphore, task: () => Promise<Result>): Promise<Result> {
  await semaphore.acquire();
  try {
    return await task();
  } finally {
    semaphore.release();
  }
}
