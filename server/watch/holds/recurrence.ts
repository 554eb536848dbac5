/** How often a key was reported gone while each read found the same owner in it. */
export interface Recurrence {
  /** When the window began, Redis's clock. */
  readonly sinceMs: number;
  readonly count: number;
}

const WINDOW_MS = 60_000;
/** An operator cannot tell so many holds a minute apart. */
export const RECURRENCES_MAX = 20;

/** The same owner was found again after the key was reported gone. */
export function recordRecurrence(before: Recurrence | undefined, asOf: number): Recurrence {
  if (before === undefined || asOf - before.sinceMs > WINDOW_MS) return { sinceMs: asOf, count: 1 };
  return { sinceMs: before.sinceMs, count: before.count + 1 };
}

/**
 * Whether watching can no longer tell one hold of an owner from the next: its key was reported gone too often. Any
 * client that may `PUBLISH` can forge such reports, and could otherwise keep an operator from releasing the lock for
 * ever: each version would have changed.
 */
export function isRecurring(recurrence: Recurrence | undefined, asOf: number): boolean {
  return (
    recurrence !== undefined && recurrence.count > RECURRENCES_MAX && asOf - recurrence.sinceMs <= WINDOW_MS
  );
}
