import type { Holder, Lock } from "@/lib/contract/lock.ts";
import type { TypicalMs, TypicalTimes } from "@/lib/contract/stats.ts";
import { SAMPLES_MIN } from "./typical-duration.ts";

/** Returns the holder with the earliest known start. If no start is known, returns the first holder. */
export function findLongestHolder({ holders }: Lock): Holder | undefined {
  return holders.reduce<Holder | undefined>((one, other) => {
    if (one === undefined) return other;
    return (other.since ?? Number.POSITIVE_INFINITY) < (one.since ?? Number.POSITIVE_INFINITY) ? other : one;
  }, undefined);
}

/** Returns `typical`, or `undefined` if it is not known or is based on fewer than `SAMPLES_MIN` holds or waits. */
export function selectSufficientSamples(typical: TypicalMs | null | undefined): TypicalMs | undefined {
  return typical == null || typical.samples < SAMPLES_MIN ? undefined : typical;
}

/**
 * How a duration compares with the typical duration. `typical`: at most p95. `long`: above p95, but less than twice
 * p50. `times`: above p95 and at least twice p50. `times` contains the duration as a multiple of p50.
 */
export type DurationRating = { is: "typical" } | { is: "long" } | { is: "times"; times: string };

const RATIO_MIN = 2;

export function rateDuration(ms: number, { p50, p95 }: TypicalMs): DurationRating {
  if (ms <= p95) return { is: "typical" };
  const times = ms / Math.max(1, p50);
  return times < RATIO_MIN ? { is: "long" } : { is: "times", times: formatRatio(times) };
}

/** Formats a ratio with two significant digits, rounded down: `2.5`, `40`, `1,300`. */
function formatRatio(times: number): string {
  if (times < 10) return (Math.floor(times * 10) / 10).toString();
  const unit = 10 ** (Math.floor(Math.log10(times)) - 1);
  return (Math.floor(times / unit) * unit).toLocaleString("en-US");
}

/** Returns the upper end of the last bucket in ms; 0 if there are no buckets. */
export function getLongestMs(histogram: TypicalTimes["heldSpread"]): number {
  return histogram.at(-1)?.toMs ?? 0;
}
