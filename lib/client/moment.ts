/**
 * A point in time on the monotonic clock and the wall clock, both in milliseconds. Both clocks are needed: the
 * monotonic clock can stop while the machine is suspended, and the wall clock can be set back.
 */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function getCurrentMoment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Returns the time since the moment in milliseconds, according to the clock that advanced more. */
export function computeElapsedMs(moment: Moment): number {
  return Math.max(performance.now() - moment.monotonic, Date.now() - moment.wall);
}
