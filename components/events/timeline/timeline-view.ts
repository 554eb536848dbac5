import { type HoldBar, type HolderLane, sortBarsByTime, type Timeline } from "./timeline-bars.ts";

export type TimelineSpan = "latest" | "all";

/** Number of holds to show at first. With every short hold of a day, the timeline would be unreadable. */
export const LATEST_BARS = 12;
const LANES_MAX = 12;
/** Fraction of the time range that is added before the first bar, so that the start of the bar is visible. */
const MARGIN = 0.02;

export interface TimelineView {
  readonly lanes: readonly HolderLane[];
  /** Number of lanes that are not shown because they exceed `LANES_MAX`. */
  readonly others: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the visible part of a timeline: the whole time range, or the time range of the latest `LATEST_BARS` holds.
 * Limits the number of lanes to `LANES_MAX`.
 */
export function selectTimelineView({ lanes, from, to }: Timeline, span: TimelineSpan): TimelineView {
  const first = span === "all" ? undefined : sortBarsByTime(lanes).at(-LATEST_BARS);
  const begin = first?.from ?? from;
  const shown = lanes
    .map(({ owner, bars }) => ({ owner, bars: bars.filter((bar) => bar.to >= begin) }))
    .filter(({ bars }) => bars.length > 0);
  return {
    lanes: shown.slice(0, LANES_MAX),
    others: Math.max(0, shown.length - LANES_MAX),
    from: begin - Math.max(1, (to - begin) * MARGIN),
    to,
  };
}

/** Converts a time to a position in the view, as a percentage of the width from 0 to 100. */
export function toTimelinePercent({ from, to }: Pick<TimelineView, "from" | "to">, at: number): number {
  return Math.min(100, Math.max(0, (100 * (at - from)) / (to - from)));
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEPS_MS = [
  ...[1, 2, 5, 10, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 28].map((days) => days * DAY_MS),
];
const TICKS_MAX = 5;

/**
 * Returns the round times to label within the visible range. The times are spaced so that their labels do not overlap.
 */
export function computeTicks({ from, to }: Pick<TimelineView, "from" | "to">): number[] {
  const step = STEPS_MS.find((ms) => (to - from) / ms <= TICKS_MAX) ?? to - from;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: TICKS_MAX + 1 }, (_, at) => first + at * step).filter((at) => at < to);
}

/**
 * Returns the bar that a navigation key moves to. Left and right move to the previous and next hold in time. Up and
 * down move to the closest hold in the adjacent lane. Home and End move to the first and last hold. If no bar is
 * active, all keys except Home move to the last hold. Returns `undefined` if there are no holds.
 */
export function findNextBar(
  lanes: readonly HolderLane[],
  active: string | undefined,
  key: string,
): HoldBar | undefined {
  const bars = sortBarsByTime(lanes);
  const at = bars.findIndex(({ id }) => id === active);
  const here = bars[at];
  if (key === "Home") return bars[0];
  if (key === "End" || here === undefined) return bars.at(-1);
  if (key === "ArrowRight") return bars[Math.min(bars.length - 1, at + 1)];
  if (key === "ArrowLeft") return bars[Math.max(0, at - 1)];
  const lane = lanes.findIndex(({ bars }) => bars.includes(here)) + (key === "ArrowDown" ? 1 : -1);
  const near = (bar: HoldBar) => Math.abs(bar.from - here.from);
  const [closest] = lanes[lane]?.bars.toSorted((a, b) => near(a) - near(b)) ?? [];
  return closest ?? here;
}
