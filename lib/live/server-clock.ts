/**
 * An estimate of the Redis clock in the browser. Does not depend on the browser's wall clock, which can be wrong by
 * hours.
 */
export interface ServerClock {
  /** Records the Redis time at which a message was sent, in Unix milliseconds. */
  observe(now: number): void;
  /** Returns the estimated Redis time in Unix milliseconds; `null` before the first message and after a reset. */
  now(): number | null;
  reset(): void;
}

interface Sample {
  at: number;
  offset: number;
}

/**
 * Creates a clock that estimates the Redis time from the times in messages. Network latency makes the offset `now -
 * elapsed()` of a message too small, so the clock uses the largest offset of the last `windowMs`.
 */
export function createServerClock(elapsed: () => number, windowMs = 30_000): ServerClock {
  // Kept in descending order of offset, so the first sample always has the largest offset.
  const samples: Sample[] = [];
  let latest: number | null = null;

  return {
    observe(now) {
      const at = elapsed();
      const offset = now - at;
      while ((samples.at(-1)?.offset ?? Number.POSITIVE_INFINITY) <= offset) samples.pop();
      samples.push({ at, offset });
      while ((samples[0]?.at ?? at) < at - windowMs) samples.shift();
      latest = samples[0]?.offset ?? offset;
    },
    now() {
      return latest === null ? null : elapsed() + latest;
    },
    reset() {
      samples.length = 0;
      latest = null;
    },
  };
}
