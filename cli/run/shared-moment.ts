/**
 * A point in time on both clocks of a machine. Every process of the machine can compare it with its own clocks, because the
 * monotonic clock counts from the same moment for all of them. Suspending the machine stops the monotonic clock, and the wall
 * clock may be set back, so both are needed.
 */
export interface SharedMoment {
  readonly monotonicMs: number;
  /** Unix milliseconds. */
  readonly wallMs: number;
}

const NANOSECONDS_PER_MS = 1e6;

export function getSharedNow(): SharedMoment {
  return { monotonicMs: getMonotonicMs(), wallMs: Date.now() };
}

/** Returns the moment `ms` milliseconds after `moment`. */
export function addMs({ monotonicMs, wallMs }: SharedMoment, ms: number): SharedMoment {
  return { monotonicMs: monotonicMs + ms, wallMs: wallMs + ms };
}

/** Returns the time until `moment` on the clock that reaches it first, in milliseconds; negative if it has passed. */
export function computeMsUntil({ monotonicMs, wallMs }: SharedMoment): number {
  return Math.min(monotonicMs - getMonotonicMs(), wallMs - Date.now());
}

/** Reads the machine's monotonic clock in milliseconds. `performance.now()` counts from the start of the process. */
export function getMonotonicMs(): number {
  return Number(process.hrtime.bigint()) / NANOSECONDS_PER_MS;
}
