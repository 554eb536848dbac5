export interface Trend {
  readonly mean: number;
  /** What the straight line through all of them rises by, from the first to the last. */
  readonly rise: number;
  /** So much of the rise is no more than noise. */
  readonly noise: number;
  readonly is: "flat" | "rising" | "falling";
}

/** A rise below this share of the mean is no leak that would be found. */
const SHARE = 0.03;
/** Standard errors of the slope. */
const DOUBT = 2;

/**
 * Whether values that were taken at even intervals rise: the line of least squares, with as much doubt as they scatter
 * around it.
 *
 * @param values three or more
 */
export function computeTrend(values: readonly number[]): Trend {
  const count = values.length;
  if (count < 3) throw new RangeError("A trend needs three values");
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const middle = (count - 1) / 2;
  const squares = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  const slope = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0) / squares;
  const scatter = values.reduce((sum, value, at) => sum + (value - mean - slope * (at - middle)) ** 2, 0);
  const rise = slope * (count - 1);
  const error = Math.sqrt(scatter / (count - 2) / squares) * (count - 1);
  const noise = Math.max(DOUBT * error, SHARE * Math.abs(mean));
  return { mean, rise, noise, is: rise > noise ? "rising" : rise < -noise ? "falling" : "flat" };
}
