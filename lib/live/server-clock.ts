/**
 * The browser's estimate of the Redis clock. Does not depend on the browser's wall clock, which may be off by hours.
 */
export interface ServerClock {
  /** Records the Redis time at which a message was sent. */
  observe(now: number): void;
  /** Returns the time in Unix milliseconds; `null` until the first message. */
  now(): number | null;
  reset(): void;
}

interface Sample {
  at: number;
  offset: number;
}

/**
 * Creates a clock from the times in messages. Network latency makes `now - elapsed` too small. The clock therefore uses
 * the largest offset within the window, which has the least latency.
 */
export function createServerClock(elapsed: () => number, windowMs = 30_000): ServerClock {
  // Offsets decrease from first to last, so the first offset is always the largest.
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
