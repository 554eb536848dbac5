"use client";

import clsx from "clsx";
import { useRange } from "@/components/overview/use-range.ts";
import { formatNumber } from "@/components/ui/duration.ts";
import { useLive } from "@/lib/live/hooks.ts";
import { useStats } from "@/lib/live/stats.ts";
import { countOf, SYSTEM_VIEWS, viewOf, withView } from "./system-views.ts";

interface ViewsBarProps {
  filter: string;
  window: { total: number; held: number } | undefined;
  onFilter(filter: string): void;
}

/** The questions that everybody asks, each a word of the filter. */
export function ViewsBar({ filter, window, onFilter }: ViewsBarProps) {
  const now = viewOf(filter);
  // What the overview asks for: one request for both.
  const [range] = useRange();
  const figures = useStats(range).data?.totals;
  // As the overview shows it: the stream's, which is newer.
  const abnormal = useLive().health?.abnormal;
  const totals = figures && { ...figures, abnormal: abnormal ?? figures.abnormal };
  return (
    <fieldset className="flex min-w-0 gap-0.5 overflow-x-auto">
      <legend className="sr-only">Views</legend>
      {SYSTEM_VIEWS.map((view) => {
        const count = countOf(view, { filter, window, totals });
        const isHere = view === now;
        return (
          <button
            key={view.word}
            type="button"
            aria-pressed={isHere}
            title={view.word}
            onClick={() => onFilter(withView(filter, view))}
            className={clsx(
              "flex h-7 shrink-0 items-center gap-1.5 rounded-[7px] border px-2.5 whitespace-nowrap outline-offset-[-2px]",
              isHere
                ? "border-line bg-panel font-medium text-ink"
                : "border-transparent text-ink-2 hover:bg-line-soft hover:text-ink",
            )}
          >
            {view.name}
            {count !== undefined && (
              <span className={clsx("tabular-nums", view.isWrong && count > 0 ? "text-bad" : "text-ink-3")}>
                {formatNumber(count)}
              </span>
            )}
          </button>
        );
      })}
    </fieldset>
  );
}
