import { LATCH_COUNT } from "../locks-under-test.ts";
import type { RecordingLatch } from "../processes/recording-latch.ts";
import { WAIT_MS, type Workload } from "./workload.ts";

const SETS = 0.15;
const COUNTS = 0.5;

/** Closes a latch, counts it down, or waits until it is open. */
export async function runLatch(workload: Workload, latch: RecordingLatch): Promise<void> {
  const chance = workload.options.random();
  if (chance < SETS) await latch.trySetCount(LATCH_COUNT);
  else if (chance < COUNTS) await latch.countDown();
  else await latch.wait(WAIT_MS);
  await workload.pause(workload.pickBetween(0, 200));
}
