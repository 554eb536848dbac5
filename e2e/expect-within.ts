import { expect } from "@playwright/test";

/**
 * Asserts that `measure` returns less than `limitMs` at least once in `attempts` runs. A busy machine makes individual
 * measurements longer, never shorter, so one fast run is sufficient proof.
 */
export async function expectWithin(
  limitMs: number,
  measure: (attempt: number) => Promise<number>,
  attempts = 8,
): Promise<void> {
  const measured: number[] = [];
  while (measured.length < attempts && !measured.some((ms) => ms < limitMs)) {
    measured.push(await measure(measured.length + 1));
  }
  expect(Math.min(...measured), `measured ${measured.map(Math.round)} ms`).toBeLessThan(limitMs);
}

/** Returns how long `wait` takes, in milliseconds. */
export async function measureMs(wait: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await wait();
  return performance.now() - startedAt;
}
