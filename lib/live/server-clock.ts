/** Redis's clock as the browser knows it. Never the browser's own wall clock, which may be hours off. */
export interface ServerClock {
  /** A message said that Redis's clock stood at `now` when it was sent. */
  observe(now: number): void;
  /** null until the first message. */
  now(): number | null;
  reset(): void;
}

interface Sample {
  at: number;
  offset: number;
}

/**
 * Every message arrives late by its way through the network, so `now - elapsed` is too small by that much. The
 * largest offset of the last while is the one with the least delay in it.
 */
export function createServerClock(elapsed: () => number, windowMs = 30_000): ServerClock {
  // Offsets fall from first to last, so the best one of the window is always the first.
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
