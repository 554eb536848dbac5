import { computeElapsedMs, type Moment } from "../../../lib/client/moment.ts";

/**
 * Minimum time limit, in ms: enough for many round trips within a data center, and for a fork or a slow command of a
 * busy Redis.
 */
const BUDGET_MS_MIN = 50;
/**
 * Time limit as a share of the lease, so that after two requests, the holder still has half of its lease. Healthy
 * masters need far less.
 */
const BUDGET_OF_LEASE = 1 / 4;
/** Maximum wait for a silent master, in ms: two round trips around the globe. */
const BUDGET_MS_MAX = 400;

/** Returns the time limit of one request to a master, in ms: a quarter of the lease, at least 50 and at most 400. */
export function computeBudgetMs(leaseMs = Number.POSITIVE_INFINITY): number {
  return Math.min(BUDGET_MS_MAX, Math.max(BUDGET_MS_MIN, leaseMs * BUDGET_OF_LEASE));
}

/** How long a request that does not wait is retried while the votes are split, in ms. */
export const CONTENTION_BUDGET_MS = 400;

/** Maximum clock drift of the masters, as a share of the lease. `RESOLUTION_MS` is the resolution of their clocks. */
const DRIFT = 0.01;
const RESOLUTION_MS = 2;

/**
 * Returns how long a hold is guaranteed to last from now, in ms; 0 or less if the hold is not guaranteed. `remainingMs`
 * is the remaining lease on a majority of the masters when they replied.
 */
export function computeValidityMs(sentAt: Moment, remainingMs: number): number {
  return Math.floor(computeCertainMs(remainingMs) - computeElapsedMs(sentAt));
}

/** Returns how long a hold is guaranteed to last, in ms, counted from the time at which its request was sent. */
export function computeCertainMs(remainingMs: number): number {
  return remainingMs - (remainingMs * DRIFT + RESOLUTION_MS);
}

const PAUSE_MS_MIN = 4;
const PAUSE_MS_MAX = 100;

/**
 * Returns a random pause after a split vote, from 0 to at most 100 ms. The range grows with each attempt, so that the
 * attempts of competing clients no longer overlap.
 */
export function computeSplitPauseMs(splits: number, roundMs: number): number {
  const rangeMs = Math.max(PAUSE_MS_MIN, 2 * roundMs) * 2 ** Math.min(splits, 6);
  return Math.random() * Math.min(PAUSE_MS_MAX, rangeMs);
}
