/** A point in time on both clocks. Suspending a machine stops the monotonic clock, and the wall clock may be set back. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function getCurrentMoment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Returns the milliseconds since `moment`, by the clock that advanced more. */
export function computeElapsedMs(moment: Moment): number {
  return Math.max(performance.now() - moment.monotonic, Date.now() - moment.wall);
}
