/**
 * One timer for all countdowns on a page. Notifies all subscribers at the same time. Only components that show a time
 * subscribe, so a tick renders no other component.
 */
export interface Ticker {
  subscribe(listener: () => void): () => void;
  /**
   * Returns the time of the last tick. Before the first tick, returns the time of the first subscription. Returns
   * `null` if the time was unknown. The value does not change between ticks.
   */
  read(): number | null;
  /** Suspends or resumes the ticker. Resuming notifies all subscribers immediately. */
  rest(resting: boolean): void;
}

export function createTicker(clock: () => number | null, everyMs = 250): Ticker {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let value: number | null = null;
  let isResting = false;

  const tick = () => {
    value = clock();
    for (const listener of listeners) listener();
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const start = () => {
    if (!isResting && listeners.size > 0) timer ??= setInterval(tick, everyMs);
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (timer === undefined) value = clock();
      start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    read() {
      return value;
    },
    rest(resting) {
      if (isResting === resting) return;
      isResting = resting;
      stop();
      if (resting) return;
      tick();
      start();
    },
  };
}
