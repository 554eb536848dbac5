/**
 * A point in time on the monotonic clock and the wall clock of a machine. All processes of the machine can use the same
 * value, because the monotonic clock counts from the same moment for all processes. Both clocks are needed: the
 * monotonic clock stops while the machine is suspended, and the wall clock can be set back.
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

/**
 * Returns the time in milliseconds until the moment, measured on the clock that reaches the moment first. Negative if
 * the moment has passed.
 */
export function computeMsUntil({ monotonicMs, wallMs }: SharedMoment): number {
  return Math.min(monotonicMs - getMonotonicMs(), wallMs - Date.now());
}

/**
 * Reads the machine's monotonic clock in milliseconds. Unlike `performance.now()`, the value does not depend on when
 * the process started.
 */
export function getMonotonicMs(): number {
  return Number(process.hrtime.bigint()) / NANOSECONDS_PER_MS;
}
