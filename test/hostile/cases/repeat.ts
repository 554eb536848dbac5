import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls `act` and then pauses for the interval of `perSecond`, until the signal is aborted. A slow call therefore
 * delays the next one.
 */
export async function repeatUntil(
  signal: AbortSignal,
  perSecond: number,
  act: () => Promise<unknown>,
): Promise<readonly string[]> {
  while (!signal.aborted) {
    await act();
    await sleep(1000 / perSecond);
  }
  return [];
}
