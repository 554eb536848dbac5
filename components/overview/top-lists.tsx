"use client";

import clsx from "clsx";
import { useId } from "react";
import { formatClock, formatNumber, formatSpan } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { PatternFigures, SeriesRange, Stats } from "@/lib/contract/stats.ts";
import { useStats } from "@/lib/live/stats.ts";
import { filterOfPattern } from "./filter-of-pattern.ts";

interface TopListsProps {
  stats: Stats;
  range: SeriesRange;
  onFilter(filter: string): void;
}

const DAY_MS = 86_400_000;

/** Which locks stand out in the last day, by their pattern. @param stats whose patterns are ordered by forced releases */
export function TopLists({ stats, range, onFilter }: TopListsProps) {
  const evictions = useStats(range, "evictions").data;
  const { now, since, waitsSince, top, patterns } = stats;
  const own = { now, since: waitsSince, onFilter };
  const told = { now, since, onFilter };
  return (
    <div className="grid max-h-[40dvh] grid-cols-1 gap-x-5 gap-y-3 overflow-y-auto border-t border-line-soft px-3.5 py-2.5 @md:grid-cols-2 @2xl:grid-cols-3 @4xl:grid-cols-5">
      <TopList
        {...own}
        title="Most contended"
        means="Waits and refusals together; of clients of other libraries nobody tells."
        items={top.contended}
        figure={({ waits, refusals }) => formatNumber(waits + refusals)}
        says={({ waits, refusals }) =>
          `Waited ${formatNumber(waits)}, refused at once ${formatNumber(refusals)}`
        }
      />
      <TopList
        {...own}
        title="Longest waits"
        means="p95 of those who waited and got the lock."
        items={top.longestWaits}
        figure={({ waitedMs }) => (waitedMs === null ? "" : formatSpan(waitedMs.p95))}
        says={({ waitedMs }) =>
          waitedMs === null ? "" : `Half waited for less than ${formatSpan(waitedMs.p50)}`
        }
      />
      <TopList
        {...own}
        title="Expired in use"
        means="The holder was still at work when the lock ended: somebody else could take it."
        items={top.expiredInUse}
        figure={({ expiredInUse }) => formatNumber(expiredInUse)}
        says={({ expired }) => `Expired in all: ${formatNumber(expired)}`}
        tone="warn"
      />
      <TopList
        {...told}
        title="Freed by force"
        means="By an operator or an API key, against the holder."
        items={patterns.items.filter(({ forceReleases }) => forceReleases > 0)}
        figure={({ forceReleases }) => formatNumber(forceReleases)}
        says={({ acquisitions }) => `Acquired in all: ${formatNumber(acquisitions)}`}
      />
      <TopList
        {...told}
        title="Evicted"
        means="Redis took the lock away for want of memory."
        items={evictions?.patterns.items.filter((each) => each.evictions > 0)}
        figure={(each) => formatNumber(each.evictions)}
        says={({ acquisitions }) => `Acquired in all: ${formatNumber(acquisitions)}`}
        tone="bad"
      />
    </div>
  );
}

interface TopListProps {
  title: string;
  means: string;
  /** undefined: not known yet. */
  items: readonly PatternFigures[] | undefined;
  now: number;
  /** Nothing before this is counted. */
  since: number;
  figure(figures: PatternFigures): string;
  says(figures: PatternFigures): string;
  tone?: "bad" | "warn";
  onFilter(filter: string): void;
}

function TopList({ title, means, items, now, since, figure, says, tone, onFilter }: TopListProps) {
  const id = useId();
  return (
    // Five lines and a title, whether they are there yet or not.
    <section aria-labelledby={id} className="min-w-0 @4xl:min-h-36">
      <h2 id={id} title={means} className="pb-0.5 text-2xs font-semibold text-ink-2">
        {title}
      </h2>
      {items?.length === 0 && <p className="text-2xs text-ink-3">{noneSince(since, now)}</p>}
      <ul>
        {items?.map((one) => (
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

function noneSince(since: number, now: number): string {
  return now - since < DAY_MS ? `None since ${formatClock(since)}.` : "None in the last 24 hours.";
}

function Pattern({ pattern, onFilter }: { pattern: string; onFilter(filter: string): void }) {
  const filter = filterOfPattern(pattern);
  const text = <SafeText text={pattern} />;
  if (filter === null) return <span className="min-w-0 flex-1 truncate text-ink-3">{text}</span>;
  return (
    <button
      type="button"
      title={`Search ${visibleText(pattern)}`}
      onClick={() => onFilter(filter)}
      className="h-6 min-w-0 flex-1 truncate text-left font-mono text-accent hover:underline"
    >
      {text}
    </button>
  );
}
