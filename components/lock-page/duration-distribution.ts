import type { TypicalTimes } from "@/lib/contract/stats.ts";

type DurationHistogram = TypicalTimes["heldSpread"];

export interface HistogramBar {
  /** The left edge, as a percentage of the width of the plot. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

export interface HistogramScale {
  /** Returns the position of a duration as a percentage of the width, from 0 to 100. */
  toPercent(ms: number): number;
  readonly bars: readonly HistogramBar[];
}

/** The shortest duration on the scale, in ms. Shorter durations have the same position. */
const SHORTEST_MS = 0.5;
/** Fraction of the scale that is added at each end, because a mark at the edge would be clipped. */
const MARGIN = 0.04;

/**
 * Creates the scale and the bars of a histogram of durations. The scale is logarithmic, because durations span several
 * orders of magnitude.
 *
 * @param marks durations in ms that the scale must also include
 */
export function createHistogramScale(histogram: DurationHistogram, marks: readonly number[]): HistogramScale {
  const edges = [...histogram.flatMap(({ fromMs, toMs }) => [fromMs, toMs]), ...marks].map(toLog2);
  const [least, most] = [Math.min(...edges), Math.max(...edges)];
  const room = Math.max(1, most - least) * MARGIN;
  const [from, to] = [least - room, Math.max(least + 1, most) + room];
  const placeOf = (ms: number) => (100 * (toLog2(ms) - from)) / (to - from);
  const highest = Math.max(...histogram.map(({ share }) => share), Number.MIN_VALUE);
  const bars = histogram
    .filter(({ share }) => share > 0)
    .map(({ fromMs, toMs, share }) => {
      const left = placeOf(fromMs);
      return { left, width: placeOf(toMs) - left, height: Math.max(4, (100 * share) / highest) };
    });
  return { toPercent: placeOf, bars };
}

function toLog2(ms: number): number {
  return Math.log2(Math.max(SHORTEST_MS, ms));
}
