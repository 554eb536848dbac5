import { computeMedian, computePercentile } from "../statistics.ts";
import type { HoldTimes } from "./messages.ts";

export interface ContendedSummary {
  readonly grants: number;
  readonly grantsPerSecond: number;
  /** Grants to a different worker than the previous holder. */
  readonly handOversPerSecond: number;
  readonly p50WaitMs: number;
  readonly p99WaitMs: number;
  readonly largestWaitMs: number;
  /** The mean wait if each worker had the same number of grants: workers ÷ grants per second. */
  readonly fairShareMs: number;
  /** Workers without a grant in the measured time. */
  readonly starved: number;
  /** Holds that began before an earlier one ended. */
  readonly overlaps: number;
}

/**
 * Summarizes the holds of all workers. Rates count the grants of the first `forMs`. Waits count every request of that
 * time, even if it was granted later, so that a worker that starved until the others stopped is included.
 */
export function summarizeHolds(workers: readonly (readonly HoldTimes[])[], forMs: number): ContendedSummary {
  const all = workers.flat();
  const from = all.reduce((first, [asked]) => Math.min(first, asked), Number.POSITIVE_INFINITY);
  const until = from + forMs;
  const grants = all.filter(([, granted]) => granted < until).length;
  const waits = all.map(([asked, granted]) => granted - asked);
  const grantsPerSecond = (grants / forMs) * 1000;
  const inOrder = workers
    .flatMap((holds, worker) => holds.map(([, granted]) => ({ worker, granted })))
    .filter(({ granted }) => granted < until)
    .sort((one, other) => one.granted - other.granted);
  const handOvers = inOrder.filter(({ worker }, at) => at > 0 && inOrder[at - 1]?.worker !== worker).length;
  return {
    grants: all.length,
    grantsPerSecond,
    handOversPerSecond: (handOvers / forMs) * 1000,
    p50WaitMs: computeMedian(waits),
    p99WaitMs: computePercentile(waits, 0.99),
    largestWaitMs: waits.reduce((largest, wait) => Math.max(largest, wait), 0),
    fairShareMs: (workers.length / grantsPerSecond) * 1000,
    starved: workers.filter((holds) => !holds.some(([, granted]) => granted < until)).length,
    overlaps: countOverlaps(all),
  };
}

/**
 * Counts overlapping holds. The times are shorter than the holds in Redis, so an overlap means that two workers had the
 * lock at the same time.
 */
function countOverlaps(holds: readonly HoldTimes[]): number {
  const inOrder = [...holds].sort(([, one], [, other]) => one - other);
  let overlaps = 0;
  let endedAt = Number.NEGATIVE_INFINITY;
  for (const [, granted, released] of inOrder) {
    if (granted < endedAt) overlaps++;
    endedAt = Math.max(endedAt, released);
  }
  return overlaps;
}
