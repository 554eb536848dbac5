import { computeElapsedMs, type Moment } from "../../../lib/client/moment.ts";

/** Time limits of a quorum. */

/** Allows for many round trips within a data center, and for a fork or a slow command of a busy Redis. */
const BUDGET_MS_MIN = 50;
/** The fraction of the lease, so that two requests leave half of it to the holder. Healthy masters need far less. */
const BUDGET_OF_LEASE = 1 / 4;
/** Two round trips around the globe; upper bound of the wait for a silent master. */
const BUDGET_MS_MAX = 400;

/** Returns the time limit of one request to a master, in ms; the maximum if the lease is unknown. */
export function computeBudgetMs(leaseMs = Number.POSITIVE_INFINITY): number {
  return Math.min(BUDGET_MS_MAX, Math.max(BUDGET_MS_MIN, leaseMs * BUDGET_OF_LEASE));
}

/** How long a request without a wait retries a lock without a known holder. */
export const CONTENTION_BUDGET_MS = 400;

/** The maximum clock drift of masters per millisecond of a lease, and their clock resolution. */
const DRIFT = 0.01;
const RESOLUTION_MS = 2;

/**
 * Returns how long a hold is guaranteed to last, in ms from now, given the moment of its request and its remaining
 * time on a majority. 0 or less: the hold is not guaranteed.
 */
export function computeValidityMs(sentAt: Moment, remainingMs: number): number {
  return Math.floor(computeCertainMs(remainingMs) - computeElapsedMs(sentAt));
}

/** Returns how long a hold is guaranteed to last, in ms from its request. */
export function computeCertainMs(remainingMs: number): number {
  return remainingMs - (remainingMs * DRIFT + RESOLUTION_MS);
}

const PAUSE_MS_MIN = 4;
const PAUSE_MS_MAX = 100;

/**
 * Returns the pause after a split vote, in ms. It is random, from a range that grows with each attempt until all
 * competing clients fit in it.
 */
export function computeSplitPauseMs(splits: number, roundMs: number): number {
  const stretchMs = Math.max(PAUSE_MS_MIN, 2 * roundMs) * 2 ** Math.min(splits, 6);
  return Math.random() * Math.min(PAUSE_MS_MAX, stretchMs);
}
