export function computeMedian(values: readonly number[]): number {
  const sorted = sortAscending(values);
  const middle = sorted.length / 2;
  return (getAt(sorted, Math.ceil(middle) - 1) + getAt(sorted, Math.floor(middle))) / 2;
}

/** Returns the minimum, median and maximum. */
export function computeSpread(values: readonly number[]) {
  return { min: Math.min(...values), median: computeMedian(values), max: Math.max(...values) };
}

/**
 * Returns the smallest value that is greater than or equal to a given share of all values.
 *
 * @param share 0 to 1
 */
export function computePercentile(values: readonly number[], share: number): number {
  const sorted = sortAscending(values);
  return getAt(sorted, Math.ceil(sorted.length * share) - 1);
}

/** A median and a confidence interval for it. */
export interface Interval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** Probability, 0 to 1, that the interval contains the true median of the distribution. */
  readonly confidence: number;
}

const CONFIDENCE = 0.95;

/**
 * Returns the median with the narrowest confidence interval that has a probability of at least 95 %. The ends of the
 * interval are order statistics at equal distance from the minimum and the maximum. The values must be independent, but
 * may have any distribution. Fewer than six values cannot reach 95 %, and the interval is then minimum to maximum.
 */
export function computeMedianInterval(values: readonly number[]): Interval {
  const sorted = sortAscending(values);
  const count = sorted.length;
  let cut = 0;
  while (2 * (cut + 1) < count && computeConfidence(count, cut + 1) >= CONFIDENCE) cut++;
  return {
    median: computeMedian(values),
    low: getAt(sorted, cut),
    high: getAt(sorted, count - 1 - cut),
    confidence: computeConfidence(count, cut),
  };
}

/** Returns whether two intervals have at least one point in common. */
export function isOverlapping(one: Interval, other: Interval): boolean {
  return one.low <= other.high && other.low <= one.high;
}

/**
 * Returns the confidence of an interval that omits `cut` of `count` values at each end: 1 − 2 · P(at most `cut` of
 * `count` fair coins show heads).
 */
function computeConfidence(count: number, cut: number): number {
  let tail = 0;
  let choose = 1;
  for (let heads = 0; heads <= cut; heads++) {
    tail += choose;
    choose = (choose * (count - heads)) / (heads + 1);
  }
  return Math.max(0, 1 - (2 * tail) / 2 ** count);
}

function sortAscending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

function getAt(sorted: readonly number[], index: number): number {
  const value = sorted[index];
  if (value === undefined) throw new RangeError("nothing was measured");
  return value;
}
