"use client";

import clsx from "clsx";
import { useMemo, useState } from "react";
import { formatClock } from "@/components/ui/duration.ts";
import type { Stats } from "@/lib/contract/stats.ts";
import { figureOf, formatMeasure, type Measure, RANGE_MS, rangeOf, sentenceOf } from "./figures-of.ts";
import type { MeasuredSample } from "./spark-path.ts";
import { Sparkline } from "./sparkline.tsx";

interface CellText {
  readonly name: string;
  /** What exactly is counted. */
  readonly means: string;
  /** The search that finds these locks; none: they are not locks. */
  readonly filter?: string;
  readonly findLabel?: string;
}

const TEXTS: Readonly<Record<Measure, CellText>> = {
  held: { name: "Held", means: "Locks that are held now.", filter: "", findLabel: "Show all locks" },
  waiting: {
    name: "Waiting",
    means:
      "Clients that wait for a lock, as far as they can be seen. Clients that only try again and again cannot.",
    filter: "waiters>0",
    findLabel: "Show locks that somebody waits for",
  },
  abnormal: {
    name: "Abnormal",
    means:
      "Locks without expiry, that nobody renews any more, or that are held for more than twice as long as is usual for their name.",
    filter: "is:abnormal",
    findLabel: "Show what is abnormal",
  },
  acquisitionsPerS: { name: "Acquired a second", means: "Holds that began, a second; re-entries are none." },
  waitedMsP95: {
    name: "Wait p95",
    means: "Of those who waited and got the lock, one in twenty waited for longer.",
  },
};

interface FigureCellProps {
  measure: Measure;
  /** undefined: not known yet. */
  stats: Stats | undefined;
  /** What the live stream says of it, which is newer. */
  live?: number | undefined;
  onFilter(filter: string): void;
}

export function FigureCell({ measure, stats, live, onFilter }: FigureCellProps) {
  const [pointed, setPointed] = useState<MeasuredSample | null>(null);
  const figure = useMemo(
    () => (stats === undefined ? undefined : figureOf(stats, measure)),
    [stats, measure],
  );
  const { name, means, filter, findLabel } = TEXTS[measure];
  const value = pointed?.value ?? live ?? figure?.value ?? null;
  const at = pointed?.at ?? (live === undefined ? figure?.olderAt : undefined);
  const isBad = measure === "abnormal" && value !== null && value > 0;
  const shown = (
    <span className={clsx("text-[20px] leading-7 font-semibold tracking-tight", isBad && "text-bad")}>
      {value === null ? <NoFigure isKnown={figure !== undefined} /> : formatMeasure(measure, value)}
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
        {filter === undefined ? (
          shown
        ) : (
          <button
            type="button"
            title={findLabel}
            className="hover:underline"
            onClick={() => onFilter(filter)}
          >
            {shown}
            <span className="sr-only">{findLabel}</span>
          </button>
        )}
        <div className={clsx("flex min-w-0 flex-1 justify-end", isBad ? "text-bad" : "text-ink-3")}>
          {stats !== undefined && figure !== undefined && (
            <Sparkline
              samples={figure.samples}
              from={stats.now - RANGE_MS[rangeOf(stats)]}
              to={stats.now}
              thinning={measure === "acquisitionsPerS" ? "mean" : "largest"}
              label={`${name}. ${sentenceOf(measure, figure, rangeOf(stats))}`}
              pointed={pointed}
              onPoint={setPointed}
            />
          )}
        </div>
      </div>
    </li>
  );
}

function NoFigure({ isKnown }: { isKnown: boolean }) {
  if (isKnown) return <span className="text-sm font-normal text-ink-3">none yet</span>;
  return (
    <span className="text-ink-3">
      <span aria-hidden>–</span>
      <span className="sr-only">not known yet</span>
    </span>
  );
}
