import { computeElapsedMs, type Moment } from "../verbs/moment.ts";

/** Time limits of a quorum. */

/** Many round trips inside a data centre, and more than a fork or a slow command of a busy Redis takes. */
const BUDGET_MS_MIN = 50;
/** So that asking, also twice, leaves half of the lease to its holder. Masters that are well take a fraction of it. */
const BUDGET_OF_LEASE = 1 / 4;
/** Two round trips around the globe; nobody should wait longer for a master that is silent. */
const BUDGET_MS_MAX = 400;

/** For how long a master is waited for, each time it is asked; the longest where the lease is not known. */
export function computeBudgetMs(leaseMs = Number.POSITIVE_INFINITY): number {
  return Math.min(BUDGET_MS_MAX, Math.max(BUDGET_MS_MIN, leaseMs * BUDGET_OF_LEASE));
}

/** For how long one who does not wait tries a lock that nobody is known to hold. */
export const CONTENTION_BUDGET_MS = 400;

/** By how much clocks of masters may run faster than ours, for each millisecond of a lease; and their resolution. */
const DRIFT = 0.01;
const RESOLUTION_MS = 2;

/**
 * For how long a hold is certain from now on, when it was asked for at the moment and a majority has it for so long.
 * Not above 0: it is not.
 */
export function computeValidityMs(sentAt: Moment, remainingMs: number): number {
  return Math.floor(computeCertainMs(remainingMs) - computeElapsedMs(sentAt));
}

/** The same, counted from the moment itself. */
export function computeCertainMs(remainingMs: number): number {
  return remainingMs - (remainingMs * DRIFT + RESOLUTION_MS);
}

const PAUSE_MS_MIN = 4;
const PAUSE_MS_MAX = 100;

/**
 * How long to leave the lock alone after votes were split: chance picks who is first, and each time from a longer
 * stretch, until all who try have room in it.
 */
export function computeSplitPauseMs(splits: number, roundMs: number): number {
  const stretchMs = Math.max(PAUSE_MS_MIN, 2 * roundMs) * 2 ** Math.min(splits, 6);
  return Math.random() * Math.min(PAUSE_MS_MAX, stretchMs);
}
