/** How often a key was reported as gone although each read found the same owner. */
export interface Recurrence {
  /** Start of the window, on the Redis clock. */
  readonly sinceMs: number;
  readonly count: number;
}

const WINDOW_MS = 60_000;
/** Maximum number of recurrences in a minute. An operator cannot distinguish more holds in that time. */
export const RECURRENCES_MAX = 20;

/** Records that the same owner was found after its key was reported as gone. */
export function recordRecurrence(before: Recurrence | undefined, asOf: number): Recurrence {
  if (before === undefined || asOf - before.sinceMs > WINDOW_MS) return { sinceMs: asOf, count: 1 };
  return { sinceMs: before.sinceMs, count: before.count + 1 };
}

/**
 * Whether the key was reported as gone so often that observation cannot distinguish one hold of an owner from the next.
 * Any client that may `PUBLISH` can forge such reports. Without this limit, such a client could indefinitely prevent
 * operators from releasing the lock, because every version would have changed.
 */
export function isRecurring(recurrence: Recurrence | undefined, asOf: number): boolean {
  return (
    recurrence !== undefined && recurrence.count > RECURRENCES_MAX && asOf - recurrence.sinceMs <= WINDOW_MS
  );
}
