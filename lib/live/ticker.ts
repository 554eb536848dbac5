/** One timer for every countdown on the page: only what subscribed renders again, and all at the same moment. */
export interface Ticker {
  subscribe(listener: () => void): () => void;
  /** The clock's reading at the last tick; the same value until the next one. */
  read(): number | null;
  /** While it rests nobody is told of anything; woken up, all are told at once. */
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
