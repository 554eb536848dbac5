export const REPLAY_SPEEDS = [1, 10, 60] as const;
export type ReplaySpeed = (typeof REPLAY_SPEEDS)[number];

/** Monotonic time in ms; `loading` while events are loading, when the clock does not advance. */
export type ReplayTime = number | "loading";

/** The clock of a replay. Times are in Unix milliseconds on the Redis clock unless stated otherwise. */
export interface ReplayClock {
  readonly from: number;
  /** The end of the replay, which depends on the loaded events. */
  readonly to: number;
  readonly speed: ReplaySpeed;
  /**
   * The time to which the replay had advanced when the clock was last started, paused or moved, or its speed was
   * changed.
   */
  readonly position: number;
  /** The time at which `position` was set; `null` while the clock is paused. */
  readonly runsSince: ReplayTime | null;
}

export function createStoppedClock(
  from: number,
  to: number,
  position: number,
  speed: ReplaySpeed,
): ReplayClock {
  return { from, to, speed, position: clampPosition(from, to, position), runsSince: null };
}

/** Returns the replay position at `now`, in Unix milliseconds on the Redis clock. */
export function getReplayPosition(
  { from, to, speed, position, runsSince }: ReplayClock,
  now: ReplayTime,
): number {
  if (typeof runsSince !== "number" || now === "loading") return position;
  return clampPosition(from, to, position + Math.max(0, now - runsSince) * speed);
}

export function isReplayAtEnd(clock: ReplayClock, now: ReplayTime): boolean {
  return getReplayPosition(clock, now) >= clock.to;
}

/** Starts the clock at its current position, or at `from` if the position is at the end of the range. */
export function startClock(clock: ReplayClock, now: ReplayTime): ReplayClock {
  const position = isReplayAtEnd(clock, now) ? clock.from : getReplayPosition(clock, now);
  return { ...clock, position, runsSince: now };
}

export function stopClock(clock: ReplayClock, now: ReplayTime): ReplayClock {
  return { ...clock, position: getReplayPosition(clock, now), runsSince: null };
}

/** Moves the clock to a position without starting or stopping it. */
export function seekClock(clock: ReplayClock, position: number, now: ReplayTime): ReplayClock {
  const runsSince = clock.runsSince === null ? null : now;
  return { ...clock, position: clampPosition(clock.from, clock.to, position), runsSince };
}

export function setClockSpeed(clock: ReplayClock, speed: ReplaySpeed, now: ReplayTime): ReplayClock {
  return { ...seekClock(clock, getReplayPosition(clock, now), now), speed };
}

/**
 * Adapts the clock to the loaded events. Keeps the position, unless it is after the new end. A running clock does not
 * advance while events are loading, and then continues. A clock that has reached its end is paused, so it does not
 * continue if the end changes. Returns the same clock if there is nothing to change.
 *
 * @param to the end of the replay
 * @param now monotonic time in ms
 */
export function adaptClock(
  clock: ReplayClock,
  to: number,
  events: "loading" | "loaded",
  now: number,
): ReplayClock {
  const { from, runsSince } = clock;
  const isAdapted = runsSince === null || (runsSince === "loading") === (events === "loading");
  if (isAdapted && clock.to === to) return clock;
  const position = clampPosition(from, to, getReplayPosition(clock, now));
  const isPaused = runsSince === null || isReplayAtEnd(clock, now);
  return { ...clock, to, position, runsSince: isPaused ? null : events === "loading" ? "loading" : now };
}

function clampPosition(from: number, to: number, position: number): number {
  return Math.min(to, Math.max(from, position));
}
