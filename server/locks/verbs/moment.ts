/** A point in time on both clocks: suspending a machine stops the monotonic clock, and the wall clock may be set back. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function getCurrentMoment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

export function computeElapsedMs(moment: Moment): number {
  return Math.max(performance.now() - moment.monotonic, Date.now() - moment.wall);
}
