"use client";

import clsx from "clsx";
import { useMemo, useState } from "react";
import { formatClock } from "@/components/ui/format-duration.ts";
import type { Stats } from "@/lib/contract/stats.ts";
import { overview } from "@/lib/i18n/en/overview.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import {
  buildMeasureSeries,
  describeSeries,
  detectSeriesRange,
  formatMeasure,
  type Measure,
  RANGE_MS,
} from "./overview-figures.ts";
import type { MeasuredSample } from "./spark-path.ts";
import { Sparkline } from "./sparkline.tsx";

/** The filter for the locks that a measure counts; `null` for measures that do not count locks. */
const MEASURE_FILTERS: Readonly<Record<Measure, string | null>> = {
  held: "",
  waiting: "waiters>0",
  needsAttention: "is:needs_attention",
  acquisitionsPerS: null,
  waitedMsP95: null,
};

interface MeasureCellProps {
  measure: Measure;
  /** Statistics of the target; `undefined` until they are loaded. */
  stats: Stats | undefined;
  /** Current value from the live stream, which is newer than the value in `stats`. */
  live?: number | undefined;
  onFilter(filter: string): void;
}

export function MeasureCell({ measure, stats, live, onFilter }: MeasureCellProps) {
  const [pointed, setPointed] = useState<MeasuredSample | null>(null);
  const figure = useMemo(
    () => (stats === undefined ? undefined : buildMeasureSeries(stats, measure)),
    [stats, measure],
  );
  const messages = useMessages(overview);
  const { name, means, find } = messages.measures[measure];
  const filter = MEASURE_FILTERS[measure];
  const value = pointed?.value ?? live ?? figure?.value ?? null;
  const at = pointed?.at ?? (live === undefined ? figure?.olderAt : undefined);
  const isBad = measure === "needsAttention" && value !== null && value > 0;
  const shown = (
    <span className={clsx("text-[15px] leading-5 font-semibold tabular-nums", isBad && "text-bad")}>
      {value === null ? (
        <NoMeasurement isKnown={figure !== undefined} />
      ) : (
        formatMeasure(measure, value, messages)
      )}
    </span>
  );
  return (
    <li
      className="relative flex h-11 min-w-0 items-center gap-2 overflow-hidden px-3 @max-4xl:flex-col @max-4xl:items-start @max-4xl:justify-center @max-4xl:gap-0"
      data-measure={measure}
    >
      <span className="flex max-w-full min-w-0 gap-1.5 text-xs whitespace-nowrap text-ink-3 @max-4xl:text-2xs">
        <span title={means} className="truncate">
          {name}
        </span>
        {at != null && <time dateTime={new Date(at).toISOString()}>{formatClock(at)}</time>}
      </span>
      {filter === null ? (
        shown
      ) : (
        <button
          type="button"
          title={find}
          className="shrink-0 hover:underline max-sm:after:absolute max-sm:after:inset-0"
          onClick={() => onFilter(filter)}
        >
          {shown}
          <span className="sr-only">{find}</span>
        </button>
      )}
      <span
        className={clsx("flex min-w-0 flex-1 justify-end @max-5xl:hidden", isBad ? "text-bad" : "text-ink-3")}
      >
        {stats !== undefined && figure !== undefined && (
          <Sparkline
            samples={figure.samples}
            from={stats.now - RANGE_MS[detectSeriesRange(stats)]}
            to={stats.now}
            aggregation={measure === "acquisitionsPerS" ? "mean" : "largest"}
            label={messages.line(name, describeSeries(measure, figure, detectSeriesRange(stats), messages))}
            pointed={pointed}
            onPoint={setPointed}
          />
        )}
      </span>
    </li>
  );
}

function NoMeasurement({ isKnown }: { isKnown: boolean }) {
  const messages = useMessages(overview);
  if (isKnown) return <span className="text-sm font-normal text-ink-3">{messages.noneYet}</span>;
  return (
    <span className="text-ink-3">
      <span aria-hidden>–</span>
      <span className="sr-only">{messages.unknown}</span>
    </span>
  );
}
