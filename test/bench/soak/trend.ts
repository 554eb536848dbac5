export interface Trend {
  readonly mean: number;
  /** Difference between the last and the first point of the regression line. */
  readonly rise: number;
  /** Minimum rise or fall that counts as a trend: two standard errors or 3 % of the mean, whichever is greater. */
  readonly noise: number;
  readonly is: "flat" | "rising" | "falling";
}

/** Share of the mean up to which a rise does not count as a leak. */
const SHARE = 0.03;
/** Number of standard errors of the slope up to which a rise counts as noise. */
const DOUBT = 2;

/**
 * Computes whether values taken at regular intervals rise or fall, by linear regression.
 *
 * @param values three or more values
 * @throws RangeError if there are fewer than three values
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
