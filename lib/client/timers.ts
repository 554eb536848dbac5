export type Timer = ReturnType<typeof setTimeout>;

/** Maximum duration of a timer in milliseconds. `setTimeout` treats longer durations as 1 ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Starts a timer that does not keep a Node process alive. The duration is limited to about 24.8 days. */
export function startBackgroundTimer(callback: () => void, delayMs: number): Timer {
  const timer = setTimeout(callback, Math.min(TIMER_MS_MAX, Math.max(1, Math.ceil(delayMs))));
  // In browsers, a timer is a number without `unref`.
  (timer as { unref?(): unknown }).unref?.();
  return timer;
}

/** Resolves after `ms`, or as soon as the signal aborts. Never rejects. */
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
