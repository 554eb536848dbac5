"use client";

import clsx from "clsx";
import { useId } from "react";
import { formatClock, formatNumber, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { PatternStats, Stats } from "@/lib/contract/stats.ts";
import { overview } from "@/lib/i18n/en/overview.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { buildPatternFilter } from "./pattern-filter.ts";

interface RankedListsProps {
  stats: Stats;
  onFilter(filter: string): void;
}

const DAY_MS = 86_400_000;

/**
 * Shows five rankings of key patterns: by contention, wait time, locks that expired while in use, force-releases and
 * evictions. The lists cover at most the last 24 hours.
 */
export function RankedLists({ stats, onFilter }: RankedListsProps) {
  const messages = useMessages(overview);
  const uiMessages = useMessages(ui);
  const { now, since, waitsSince, top } = stats;
  const own = { now, since: waitsSince, onFilter };
  const listProps = { now, since, onFilter };
  const acquired = ({ acquisitions }: PatternStats) => messages.acquiredInAll(formatNumber(acquisitions));
  return (
    <div className="grid max-h-[40dvh] grid-cols-1 gap-x-5 gap-y-3 overflow-y-auto border-t border-line-soft px-3.5 py-2.5 @md:grid-cols-2 @2xl:grid-cols-3 @4xl:grid-cols-5">
      <RankedList
        {...{ ...own, ...messages.tops.contended, items: top.contended }}
        figure={({ waits, refusals }) => formatNumber(waits + refusals)}
        describe={({ waits, refusals }) =>
          messages.waitsAndRefusals(formatNumber(waits), formatNumber(refusals))
        }
      />
      <RankedList
        {...{ ...own, ...messages.tops.longestWaits, items: top.longestWaits }}
        figure={({ waitedMs }) => (waitedMs === null ? "" : formatSpan(waitedMs.p95, uiMessages))}
        describe={({ waitedMs }) =>
          waitedMs === null ? "" : messages.halfWaited(formatSpan(waitedMs.p50, uiMessages))
        }
      />
      <RankedList
        {...{ ...own, ...messages.tops.expiredInUse, items: top.expiredInUse }}
        figure={({ expiredInUse }) => formatNumber(expiredInUse)}
        describe={({ expired }) => messages.expiredInAll(formatNumber(expired))}
        tone="warn"
      />
      <RankedList
        {...{ ...listProps, ...messages.tops.forceReleases, items: top.forceReleases }}
        figure={({ forceReleases }) => formatNumber(forceReleases)}
        describe={acquired}
      />
      <RankedList
        {...{ ...listProps, ...messages.tops.evictions, items: top.evictions }}
        figure={({ evictions }) => formatNumber(evictions)}
        describe={acquired}
        tone="bad"
      />
    </div>
  );
}

interface RankedListProps {
  title: string;
  means: string;
  items: readonly PatternStats[];
  now: number;
  /** Time at which counting started, in Unix milliseconds. */
  since: number;
  figure(stats: PatternStats): string;
  describe(stats: PatternStats): string;
  tone?: "bad" | "warn";
  onFilter(filter: string): void;
}

function RankedList({ title, means, items, now, since, figure, describe, tone, onFilter }: RankedListProps) {
  const messages = useMessages(overview);
  const id = useId();
  return (
    // In the widest layout, an empty list has the height of a title and five lines too, so that the page does not move.
    <section aria-labelledby={id} className="min-w-0 @4xl:min-h-36">
      <h2 id={id} title={means} className="pb-0.5 text-2xs font-semibold text-ink-2">
        {title}
      </h2>
      {items.length === 0 && (
        <p className="text-2xs text-ink-3">
          {now - since < DAY_MS ? messages.noneSince(formatClock(since)) : messages.noneInADay}
        </p>
      )}
      <ul>
        {items.map((one) => (
          <li key={one.pattern} className="flex h-6 items-center gap-2 text-xs">
            <PatternLink pattern={one.pattern} onFilter={onFilter} />
            <span
              title={describe(one)}
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

function PatternLink({ pattern, onFilter }: { pattern: string; onFilter(filter: string): void }) {
  const messages = useMessages(overview);
  const filter = buildPatternFilter(pattern);
  const text = <SafeText text={pattern} />;
  if (filter === null) return <span className="min-w-0 flex-1 truncate text-ink-3">{text}</span>;
  return (
    <button
      type="button"
      title={messages.search(toVisibleText(pattern))}
      onClick={() => onFilter(filter)}
      className="h-6 min-w-0 flex-1 truncate text-left font-mono text-accent hover:underline"
    >
      {text}
    </button>
  );
}
