import type { Usual } from "@/lib/contract/stats.ts";

type Spread = Usual["heldSpread"];

export interface SpreadBar {
  /** Shares of the width and of the height, 0 to 100. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

export interface SpreadScale {
  /** Where a time stands, 0 to 100. */
  placeOf(ms: number): number;
  readonly bars: readonly SpreadBar[];
}

/** So short that nothing shorter is told apart. */
const SHORTEST_MS = 0.5;
/** Room at both ends, so that a mark at the edge is seen whole. */
const MARGIN = 0.04;

/**
 * Places times on a line that grows by doublings, since they differ by thousands.
 *
 * @param marks times that have to fit on it, too
 */
export function scaleOf(spread: Spread, marks: readonly number[]): SpreadScale {
  const edges = [...spread.flatMap(({ fromMs, toMs }) => [fromMs, toMs]), ...marks].map(logOf);
  const [least, most] = [Math.min(...edges), Math.max(...edges)];
  const room = Math.max(1, most - least) * MARGIN;
  const [from, to] = [least - room, Math.max(least + 1, most) + room];
  const placeOf = (ms: number) => (100 * (logOf(ms) - from)) / (to - from);
  const highest = Math.max(...spread.map(({ share }) => share), Number.MIN_VALUE);
  const bars = spread
    .filter(({ share }) => share > 0)
    .map(({ fromMs, toMs, share }) => {
      const left = placeOf(fromMs);
      return { left, width: placeOf(toMs) - left, height: Math.max(4, (100 * share) / highest) };
    });
  return { placeOf, bars };
}

function logOf(ms: number): number {
  return Math.log2(Math.max(SHORTEST_MS, ms));
}
