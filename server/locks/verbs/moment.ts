/** One moment by both clocks: a suspended machine stops the monotonic one, and the wall clock may be set back. */
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
