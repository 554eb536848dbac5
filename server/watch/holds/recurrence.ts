/** The number of times within a minute that a read found the same owner although the key was reported as removed. */
export interface Recurrence {
  /** Start of the counting window of one minute, on the Redis clock. */
  readonly sinceMs: number;
  readonly count: number;
}

const WINDOW_MS = 60_000;
/** Number of recurrences in a minute above which successive holds of one owner are no longer distinguished. */
export const RECURRENCES_MAX = 20;

/**
 * Counts a read that found the same owner although the key was reported as removed. Starts a new window after a minute.
 */
export function recordRecurrence(before: Recurrence | undefined, asOf: number): Recurrence {
  if (before === undefined || asOf - before.sinceMs > WINDOW_MS) return { sinceMs: asOf, count: 1 };
  return { sinceMs: before.sinceMs, count: before.count + 1 };
}

/**
 * Returns whether the key was reported as removed so often that successive holds of one owner are no longer
 * distinguished.
 *
 * Any client with permission to `PUBLISH` can forge such reports. Without this limit, forged reports would change the
 * version of the hold continually, and no operator could release the lock.
 */
export function isRecurring(recurrence: Recurrence | undefined, asOf: number): boolean {
  return (
    recurrence !== undefined && recurrence.count > RECURRENCES_MAX && asOf - recurrence.sinceMs <= WINDOW_MS
  );
}
