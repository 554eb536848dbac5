export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (at(sorted, Math.ceil(middle) - 1) + at(sorted, Math.floor(middle))) / 2;
}

/** Where most of the values lie, and how far they reach. */
export function spreadOf(values: readonly number[]) {
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) };
}

/** The smallest value that `share` of all values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return at(sorted, Math.ceil(sorted.length * share) - 1);
}

function at(sorted: readonly number[], index: number): number {
  const value = sorted[index];
  if (value === undefined) throw new RangeError("nothing was measured");
  return value;
}
