/** Number of times a key was reported as gone although each read found the same owner. */
export interface Recurrence {
  /** Start of the window, on the Redis clock. */
  readonly sinceMs: number;
  readonly count: number;
}

const WINDOW_MS = 60_000;
/**
 * Maximum number of recurrences in a minute. Above this limit, observation cannot distinguish one hold from the next.
 */
export const RECURRENCES_MAX = 20;

/** Counts a read that found the same owner although the key was reported as gone. */
export function recordRecurrence(before: Recurrence | undefined, asOf: number): Recurrence {
  if (before === undefined || asOf - before.sinceMs > WINDOW_MS) return { sinceMs: asOf, count: 1 };
  return { sinceMs: before.sinceMs, count: before.count + 1 };
}

/**
 * Whether the key was reported as gone so often that observation cannot distinguish successive holds of one owner. Any
 * client that may `PUBLISH` can forge such reports. Without this limit, forged reports would change the version
 * continually, and no operator could release the lock.
 */
export function isRecurring(recurrence: Recurrence | undefined, asOf: number): boolean {
  return (
    recurrence !== undefined && recurrence.count > RECURRENCES_MAX && asOf - recurrence.sinceMs <= WINDOW_MS
  );
}
