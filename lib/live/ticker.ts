/** One timer for every countdown on the page: only what subscribed renders again, and all at the same moment. */
export interface Ticker {
  subscribe(listener: () => void): () => void;
  /** The clock's reading at the last tick; the same value until the next one. */
  read(): number | null;
}

export function createTicker(clock: () => number | null, everyMs = 250): Ticker {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let value: number | null = null;

  const tick = () => {
    value = clock();
    for (const listener of listeners) listener();
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (timer === undefined) {
        value = clock();
        timer = setInterval(tick, everyMs);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    read() {
      return value;
    },
  };
}
