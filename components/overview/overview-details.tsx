"use client";

import { Ellipsis, TriangleAlert } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatClock } from "@/components/ui/format-duration.ts";
import type { MenuAction } from "@/components/ui/overlay/action-menu.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { useStoredFlag } from "@/components/ui/use-stored-flag.ts";
import { overview } from "@/lib/i18n/en/overview.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useCounts } from "@/lib/live/hooks.ts";
import { useStats } from "@/lib/queries/stats.ts";
import { MeasureCell } from "./figure-cell.tsx";
import { MEASURES, type Measure } from "./overview-figures.ts";
import { STATS_RANGES, useStatsRange } from "./use-stats-range.ts";

const ActionMenu = createLazyOverlay(() =>
  import("@/components/ui/overlay/action-menu.tsx").then((module) => module.ActionMenu),
);
const RankedLists = dynamic(() => import("./ranked-lists.tsx").then((module) => module.RankedLists), {
  ssr: false,
});

interface OverviewDetailsProps {
  onFilter(filter: string): void;
  onClose(): void;
  /** Ref of the button that opens the menu. The menu contains the action that hides the overview. */
  menuRef(button: HTMLButtonElement | null): void;
}

/** Shows the metrics of the target, a menu with the time range and, if enabled, lists of the top key patterns. */
export function OverviewDetails({ onFilter, onClose, menuRef }: OverviewDetailsProps) {
  const messages = useMessages(overview);
  const [range, setRange] = useStatsRange();
  const [lists, setLists] = useStoredFlag("lockkeeper:overview-lists", false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const menuButton = useRef<HTMLButtonElement | null>(null);
  const stats = useStats(range);
  const live: Partial<Record<Measure, number>> = useCounts() ?? {};
  const { data, error } = stats;
  const actions: MenuAction[] = [
    ...STATS_RANGES.map((each) => ({
      id: each,
      name: messages.menu.ranges[each],
      hint: each === range ? messages.menu.current : undefined,
      run: () => void setRange(each),
    })),
    {
      id: "patterns",
      name: lists ? messages.menu.hidePatterns : messages.menu.showPatterns,
      apart: true,
      run: () => setLists(!lists),
    },
    { id: "hide", name: messages.hide, run: onClose },
  ];
  return (
    <div className="rounded-[10px] border border-line bg-panel">
      <div className="flex items-center @max-xl:relative">
        <ul className="grid min-w-0 flex-1 grid-cols-5 overflow-hidden @max-xl:grid-cols-2">
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
        <div className="flex shrink-0 items-center pr-2 @max-xl:absolute @max-xl:right-0 @max-xl:bottom-0">
          {data !== undefined && error !== null && (
            <p role="status" title={messages.staleFigures(formatClock(data.now))} className="px-1 text-warn">
              <TriangleAlert aria-hidden size={14} />
              <span className="sr-only">
                {messages.staleFigures(formatClock(data.now))} <ProblemText problem={error} />
              </span>
            </p>
          )}
          <Button
            size="icon"
            variant="quiet"
            ref={(button) => {
              menuButton.current = button;
              menuRef(button);
            }}
            aria-haspopup="menu"
            aria-expanded={isMenuOpen}
            aria-label={messages.menu.title}
            title={messages.menu.title}
            className="max-sm:size-11!"
            onClick={() => setMenuOpen(!isMenuOpen)}
          >
            <Ellipsis aria-hidden size={15} />
          </Button>
        </div>
      </div>
      {isMenuOpen && (
        <ActionMenu
          label={messages.menu.title}
          anchor={menuButton.current}
          actions={actions}
          onClose={() => setMenuOpen(false)}
          finalFocus={() => menuButton.current}
        />
      )}
      {data === undefined && <ProblemNote problem={error} onAgain={() => void stats.refetch()} />}
      {lists && data !== undefined && <RankedLists stats={data} onFilter={onFilter} />}
    </div>
  );
}
