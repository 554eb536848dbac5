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

/** The search that finds these locks; null: they are not locks. */
const MEASURE_FILTERS: Readonly<Record<Measure, string | null>> = {
  held: "",
  waiting: "waiters>0",
  needsAttention: "is:needs_attention",
  acquisitionsPerS: null,
  waitedMsP95: null,
};

interface MeasureCellProps {
  measure: Measure;
  /** undefined: not known yet. */
  stats: Stats | undefined;
  /** What the live stream says of it, which is newer. */
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
    <span className={clsx("text-[20px] leading-7 font-semibold tracking-tight", isBad && "text-bad")}>
      {value === null ? <NoMeasurement isKnown={figure !== undefined} /> : formatMeasure(measure, value)}
    </span>
  );
  return (
    <li className="min-w-0 px-3.5 py-2" data-measure={measure}>
      <div className="flex h-4 gap-1.5 overflow-hidden text-2xs text-ink-3">
        <span title={means} className="truncate">
          {name}
        </span>
        {at != null && <time dateTime={new Date(at).toISOString()}>{formatClock(at)}</time>}
      </div>
      <div className="flex h-7 items-center justify-between gap-3">
        {filter === null ? (
          shown
        ) : (
          <button type="button" title={find} className="hover:underline" onClick={() => onFilter(filter)}>
            {shown}
            <span className="sr-only">{find}</span>
          </button>
        )}
        <div className={clsx("flex min-w-0 flex-1 justify-end", isBad ? "text-bad" : "text-ink-3")}>
          {stats !== undefined && figure !== undefined && (
            <Sparkline
              samples={figure.samples}
              from={stats.now - RANGE_MS[detectSeriesRange(stats)]}
              to={stats.now}
              thinning={measure === "acquisitionsPerS" ? "mean" : "largest"}
              label={messages.line(name, describeSeries(measure, figure, detectSeriesRange(stats), messages))}
              pointed={pointed}
              onPoint={setPointed}
            />
          )}
        </div>
      </div>
    </li>
  );
}

function NoMeasurement({ isKnown }: { isKnown: boolean }) {
  const messages = useMessages(overview);
  if (isKnown) return <span className="text-sm font-normal text-ink-3">{messages.noneYet}</span>;
  return (
    <span className="text-ink-3">
      <span aria-hidden>–</span>
      <span className="sr-only">{messages.notKnownYet}</span>
    </span>
  );
}
