"use client";

import { ChevronDown, ChevronUp, PanelTopClose } from "lucide-react";
import dynamic from "next/dynamic";
import { useId } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatClock } from "@/components/ui/format-duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { useStoredFlag } from "@/components/ui/use-stored-flag.ts";
import { overview } from "@/lib/i18n/en/overview.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useCounts } from "@/lib/live/live-cache.ts";
import { useStats } from "@/lib/queries/stats.ts";
import { MeasureCell } from "./figure-cell.tsx";
import { MEASURES, type Measure } from "./overview-figures.ts";
import { STATS_RANGES, useStatsRange } from "./use-stats-range.ts";

const RankedLists = dynamic(() => import("./ranked-lists.tsx").then((module) => module.RankedLists), {
  ssr: false,
});

interface OverviewDetailsProps {
  onFilter(filter: string): void;
  onClose(): void;
  closeRef(button: HTMLButtonElement | null): void;
}

export function OverviewDetails({ onFilter, onClose, closeRef }: OverviewDetailsProps) {
  const messages = useMessages(overview);
  const [range, setRange] = useStatsRange();
  const [lists, setLists] = useStoredFlag("lockkeeper:overview-lists", false);
  const listsId = useId();
  const stats = useStats(range);
  const live: Partial<Record<Measure, number>> = useCounts() ?? {};
  const { data, error } = stats;
  return (
    <div className="rounded-[10px] border border-line bg-panel">
      <div className="flex flex-col @3xl:flex-row">
        <ul className="grid min-w-0 flex-1 grid-cols-2 overflow-hidden @xl:grid-cols-5 @3xl:divide-x @3xl:divide-line-soft">
          {MEASURES.map((measure) => (
            <MeasureCell
              key={measure}
              measure={measure}
              stats={data}
              live={live[measure]}
              onFilter={onFilter}
            />
          ))}
        </ul>
        <div className="flex shrink-0 items-center gap-1 border-line-soft px-2 @max-3xl:border-t @max-3xl:py-1.5 @3xl:border-l">
          <fieldset className="flex">
            <legend className="sr-only">{messages.linesOver}</legend>
            {STATS_RANGES.map((each) => (
              <Button
                key={each}
                size="small"
                variant={each === range ? "plain" : "quiet"}
                aria-pressed={each === range}
                onClick={() => void setRange(each)}
              >
                {messages.ranges[each]}
              </Button>
            ))}
          </fieldset>
          <Button
            size="small"
            variant="quiet"
            aria-expanded={lists}
            aria-controls={listsId}
            onClick={() => setLists(!lists)}
          >
            {messages.patterns}
            {lists ? <ChevronUp aria-hidden size={13} /> : <ChevronDown aria-hidden size={13} />}
          </Button>
          <Button
            size="small-icon"
            variant="quiet"
            ref={closeRef}
            aria-expanded
            aria-label={messages.title}
            title={messages.hide}
            className="@max-3xl:ml-auto"
            onClick={onClose}
          >
            <PanelTopClose aria-hidden size={14} />
          </Button>
        </div>
      </div>
      {data !== undefined && error !== null && (
        <p role="status" className="border-t border-line-soft px-3.5 py-1 text-2xs text-warn">
          {messages.older(formatClock(data.now))} <ProblemText problem={error} />
        </p>
      )}
      {data === undefined && <ProblemNote problem={error} onAgain={() => void stats.refetch()} />}
      <div id={listsId}>
        {lists && data !== undefined && <RankedLists stats={data} onFilter={onFilter} />}
      </div>
    </div>
  );
}
