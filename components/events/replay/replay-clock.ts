export const REPLAY_SPEEDS = [1, 10, 60] as const;
export type ReplaySpeed = (typeof REPLAY_SPEEDS)[number];

/** The clock of a replay. Times are in Unix milliseconds on the Redis clock unless stated otherwise. */
export interface ReplayClock {
  readonly from: number;
  readonly to: number;
  readonly speed: ReplaySpeed;
  /**
   * The time to which the replay had advanced when the clock was last started, paused or moved, or its speed was
   * changed.
   */
  readonly position: number;
  /** Monotonic time in ms at which `position` was set; `null` while the clock is paused. */
  readonly runsSince: number | null;
}

export function createStoppedClock(
  from: number,
  to: number,
  position: number,
  speed: ReplaySpeed,
): ReplayClock {
  return { from, to, speed, position: clampPosition(from, to, position), runsSince: null };
}

/**
 * Returns the replay position at `now`, in Unix milliseconds on the Redis clock.
 *
 * @param now monotonic time in ms
 */
export function getReplayPosition(
  { from, to, speed, position, runsSince }: ReplayClock,
  now: number,
): number {
  if (runsSince === null) return position;
  return clampPosition(from, to, position + Math.max(0, now - runsSince) * speed);
}

export function isReplayAtEnd(clock: ReplayClock, now: number): boolean {
  return getReplayPosition(clock, now) >= clock.to;
}

/** Starts the clock at its current position, or at `from` if the position is at the end of the range. */
export function startClock(clock: ReplayClock, now: number): ReplayClock {
  const position = isReplayAtEnd(clock, now) ? clock.from : getReplayPosition(clock, now);
  return { ...clock, position, runsSince: now };
}

export function stopClock(clock: ReplayClock, now: number): ReplayClock {
  return { ...clock, position: getReplayPosition(clock, now), runsSince: null };
}

/** Moves the clock to a position without starting or stopping it. */
export function seekClock(clock: ReplayClock, position: number, now: number): ReplayClock {
  const runsSince = clock.runsSince === null ? null : now;
  return { ...clock, position: clampPosition(clock.from, clock.to, position), runsSince };
}

export function setClockSpeed(clock: ReplayClock, speed: ReplaySpeed, now: number): ReplayClock {
  return { ...seekClock(clock, getReplayPosition(clock, now), now), speed };
}

function clampPosition(from: number, to: number, position: number): number {
  return Math.min(to, Math.max(from, position));
}
