"use client";

import clsx from "clsx";
import { useId } from "react";
import { formatClock, formatNumber, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { PatternFigures, Stats } from "@/lib/contract/stats.ts";
import { overview } from "@/lib/i18n/en/overview.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { filterOfPattern } from "./pattern-filter.ts";

interface TopListsProps {
  stats: Stats;
  onFilter(filter: string): void;
}

const DAY_MS = 86_400_000;

/** Which locks stand out in the last day, by their pattern. */
export function TopLists({ stats, onFilter }: TopListsProps) {
  const words = useWords(overview);
  const { now, since, waitsSince, top } = stats;
  const own = { now, since: waitsSince, onFilter };
  const told = { now, since, onFilter };
  const acquired = ({ acquisitions }: PatternFigures) => words.acquiredInAll(formatNumber(acquisitions));
  return (
    <div className="grid max-h-[40dvh] grid-cols-1 gap-x-5 gap-y-3 overflow-y-auto border-t border-line-soft px-3.5 py-2.5 @md:grid-cols-2 @2xl:grid-cols-3 @4xl:grid-cols-5">
      <TopList
        {...{ ...own, ...words.tops.contended, items: top.contended }}
        figure={({ waits, refusals }) => formatNumber(waits + refusals)}
        says={({ waits, refusals }) => words.waitsAndRefusals(formatNumber(waits), formatNumber(refusals))}
      />
      <TopList
        {...{ ...own, ...words.tops.longestWaits, items: top.longestWaits }}
        figure={({ waitedMs }) => (waitedMs === null ? "" : formatSpan(waitedMs.p95))}
        says={({ waitedMs }) => (waitedMs === null ? "" : words.halfWaited(formatSpan(waitedMs.p50)))}
      />
      <TopList
        {...{ ...own, ...words.tops.expiredInUse, items: top.expiredInUse }}
        figure={({ expiredInUse }) => formatNumber(expiredInUse)}
        says={({ expired }) => words.expiredInAll(formatNumber(expired))}
        tone="warn"
      />
      <TopList
        {...{ ...told, ...words.tops.forceReleases, items: top.forceReleases }}
        figure={({ forceReleases }) => formatNumber(forceReleases)}
        says={acquired}
      />
      <TopList
        {...{ ...told, ...words.tops.evictions, items: top.evictions }}
        figure={({ evictions }) => formatNumber(evictions)}
        says={acquired}
        tone="bad"
      />
    </div>
  );
}

interface TopListProps {
  title: string;
  means: string;
  items: readonly PatternFigures[];
  now: number;
  /** Nothing before this is counted. */
  since: number;
  figure(figures: PatternFigures): string;
  says(figures: PatternFigures): string;
  tone?: "bad" | "warn";
  onFilter(filter: string): void;
}

function TopList({ title, means, items, now, since, figure, says, tone, onFilter }: TopListProps) {
  const words = useWords(overview);
  const id = useId();
  return (
    // Five lines and a title, whether they are there yet or not.
    <section aria-labelledby={id} className="min-w-0 @4xl:min-h-36">
      <h2 id={id} title={means} className="pb-0.5 text-2xs font-semibold text-ink-2">
        {title}
      </h2>
      {items.length === 0 && (
        <p className="text-2xs text-ink-3">
          {now - since < DAY_MS ? words.noneSince(formatClock(since)) : words.noneInADay}
        </p>
      )}
      <ul>
        {items.map((one) => (
          <li key={one.pattern} className="flex h-6 items-center gap-2 text-xs">
            <Pattern pattern={one.pattern} onFilter={onFilter} />
            <span
              title={says(one)}
              className={clsx("shrink-0", tone === "bad" && "text-bad", tone === "warn" && "text-warn")}
            >
              {figure(one)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Pattern({ pattern, onFilter }: { pattern: string; onFilter(filter: string): void }) {
  const words = useWords(overview);
  const filter = filterOfPattern(pattern);
  const text = <SafeText text={pattern} />;
  if (filter === null) return <span className="min-w-0 flex-1 truncate text-ink-3">{text}</span>;
  return (
    <button
      type="button"
      title={words.search(visibleText(pattern))}
      onClick={() => onFilter(filter)}
      className="h-6 min-w-0 flex-1 truncate text-left font-mono text-accent hover:underline"
    >
      {text}
    </button>
  );
}
