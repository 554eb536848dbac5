import { computeMedian, computePercentile } from "../statistics.ts";
import type { HoldTimes } from "./messages.ts";

export interface ContendedSummary {
  readonly grants: number;
  readonly grantsPerSecond: number;
  /** Grants per second to a worker other than the previous holder. */
  readonly handOversPerSecond: number;
  readonly p50WaitMs: number;
  readonly p99WaitMs: number;
  readonly largestWaitMs: number;
  /**
   * The mean wait in ms that each worker would have if all had the same number of grants: workers ÷ grants per second.
   */
  readonly fairShareMs: number;
  /** Number of workers without a grant in the measured time. */
  readonly starved: number;
  /** Number of holds that began before an earlier hold had ended. */
  readonly overlaps: number;
}

/**
 * Summarizes the holds of all workers. Rates count the grants in the first `forMs`. Waits count all requests made in
 * that time, even if they were granted later, so that workers that starved until the other workers stopped are
 * included.
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
 * Counts overlapping holds. The recorded times are shorter than the actual holds in Redis, so an overlap proves that
 * two workers held the lock at the same time.
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
