export type Timer = ReturnType<typeof setTimeout>;

/** The maximum duration of a timer in milliseconds. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Starts a timer that does not keep a Node process alive. */
export function startBackgroundTimer(callback: () => void, delayMs: number): Timer {
  const timer = setTimeout(callback, Math.min(TIMER_MS_MAX, Math.max(1, Math.ceil(delayMs))));
  // A number in browsers.
  (timer as { unref?(): unknown }).unref?.();
  return timer;
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}
