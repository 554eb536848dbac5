/**
 * Computes a percentile with the nearest-rank method. NaN if there are no values.
 *
 * @param share 0 to 1
 */
export function computePercentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function formatSummary(valuesMs: readonly number[]): string {
  const at = (share: number) => computePercentile(valuesMs, share);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
}

/**
 * Compares the JSON of two values.
 *
 * @throws Error with the expected and the actual value if they differ
 */
export function expect(what: string, found: unknown, wanted: unknown): void {
  const [is, should] = [found, wanted].map((value) => JSON.stringify(value) ?? "undefined");
  if (is !== should) throw new Error(`${what}: expected ${should}, found ${is}`);
}

export function assert(holds: boolean, otherwise: () => string): asserts holds {
  if (!holds) throw new Error(otherwise());
}
