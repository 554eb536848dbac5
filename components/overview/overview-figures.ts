import { formatClock, formatNumber, formatSpan, type UnitMessages } from "@/components/ui/format-duration.ts";
import type { SeriesPoint, SeriesRange, Stats } from "@/lib/contract/stats.ts";
import type { overview } from "@/lib/i18n/en/overview.ts";
import type { Sample } from "./spark-path.ts";

export const MEASURES = ["held", "waiting", "needsAttention", "acquisitionsPerS", "waitedMsP95"] as const;
export type Measure = (typeof MEASURES)[number] & keyof SeriesPoint;

export const RANGE_MS: Readonly<Record<SeriesRange, number>> = { hour: 3_600_000, day: 86_400_000 };

/**
 * Returns the time range of a loaded series. While another range loads, this range can differ from the requested range.
 */
export function detectSeriesRange({ series }: Stats): SeriesRange {
  return series.stepMs * STEPS_MIN >= RANGE_MS.day ? "day" : "hour";
}
const STEPS_MIN = 288;

export interface MeasureSeries {
  /** The latest value; `null` if the series has no value. */
  readonly value: number | null;
  /** The time of the latest value, if later steps have no value; otherwise `null`. */
  readonly olderAt: number | null;
  readonly samples: readonly Sample[];
}

/** Builds the series of a measure. For measures that count locks or waiters, the series ends with the current value. */
export function buildMeasureSeries({ series, totals, now }: Stats, measure: Measure): MeasureSeries {
  const samples: Sample[] = series.points.map((point) => ({ at: point.at, value: point[measure] }));
  if (measure === "held" || measure === "waiting" || measure === "needsAttention") {
    samples.push({ at: now, value: totals[measure] });
  }
  const last = samples.findLast(({ value }) => value !== null);
  if (last === undefined) return { value: null, olderAt: null, samples };
  return { value: last.value, olderAt: last === samples.at(-1) ? null : last.at, samples };
}

export function formatMeasure(measure: Measure, value: number, messages: UnitMessages): string {
  if (measure === "waitedMsP95") return formatSpan(value, messages);
  if (measure === "acquisitionsPerS" && value < 10) return formatNumber(Math.round(value * 10) / 10);
  return formatNumber(Math.round(value));
}

type SeriesMessages = Pick<typeof overview, "nothingMeasured" | "throughout" | "between"> & UnitMessages;

/** Describes a series for screen readers by its lowest and its highest value. */
export function describeSeries(
  measure: Measure,
  { samples }: MeasureSeries,
  range: SeriesRange,
  messages: SeriesMessages,
): string {
  const values = samples.flatMap(({ value }) => (value === null ? [] : [value]));
  const [first] = samples;
  if (first === undefined || values.length === 0) return messages.nothingMeasured(range);
  const since = formatClock(first.at);
  const least = formatMeasure(measure, Math.min(...values), messages);
  const most = formatMeasure(measure, Math.max(...values), messages);
  return least === most
    ? messages.throughout(range, since, least)
    : messages.between(range, since, least, most);
}
