export const SPEEDS = [1, 10, 60] as const;
export type Speed = (typeof SPEEDS)[number];

/** A span of the past that is shown again. Moments are Unix milliseconds of Redis's clock. */
export interface ReplayClock {
  readonly from: number;
  readonly to: number;
  readonly speed: Speed;
  /** Where it stood when it was last touched. */
  readonly position: number;
  /** When that was, by a clock that only goes forward; null: it stands still. */
  readonly runsSince: number | null;
}

export function stoppedAt(from: number, to: number, position: number, speed: Speed): ReplayClock {
  return { from, to, speed, position: within(from, to, position), runsSince: null };
}

/** @param now of the clock that only goes forward */
export function positionOf({ from, to, speed, position, runsSince }: ReplayClock, now: number): number {
  if (runsSince === null) return position;
  return within(from, to, position + Math.max(0, now - runsSince) * speed);
}

export function isAtEnd(clock: ReplayClock, now: number): boolean {
  return positionOf(clock, now) >= clock.to;
}

/** At its end it begins again. */
export function playing(clock: ReplayClock, now: number): ReplayClock {
  const position = isAtEnd(clock, now) ? clock.from : positionOf(clock, now);
  return { ...clock, position, runsSince: now };
}

export function stopped(clock: ReplayClock, now: number): ReplayClock {
  return { ...clock, position: positionOf(clock, now), runsSince: null };
}

/** Goes on from there, if it was going. */
export function soughtTo(clock: ReplayClock, position: number, now: number): ReplayClock {
  const runsSince = clock.runsSince === null ? null : now;
  return { ...clock, position: within(clock.from, clock.to, position), runsSince };
}

export function atSpeed(clock: ReplayClock, speed: Speed, now: number): ReplayClock {
  return { ...soughtTo(clock, positionOf(clock, now), now), speed };
}

function within(from: number, to: number, position: number): number {
  return Math.min(to, Math.max(from, position));
}
