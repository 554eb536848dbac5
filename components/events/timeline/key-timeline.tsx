"use client";

import clsx from "clsx";
import { memo, useId, useMemo, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatClock, formatDate } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Kind } from "@/lib/contract/format.ts";
import { timeline as english } from "@/lib/i18n/en/timeline.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import type { KeyEvents } from "../key-history/use-key-events.ts";
import { GapText } from "../text/event-line.tsx";
import { barText, overlapText } from "./bar-text.ts";
import { type Bar, inTime, type Timeline, takesOf, timelineOf } from "./timeline-bars.ts";
import { TimelineLanes } from "./timeline-lanes.tsx";
import { LATEST_BARS, placeOf, type Span, type TimelineView, ticksOf, viewOf } from "./timeline-view.ts";
import { useBarWords } from "./use-bar-messages.ts";

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
/** The rest stands in the list below. */
const NAMED_MAX = 3;

interface KeyTimelineProps {
  history: KeyEvents;
  kind: Kind | null;
}

/** Who held the lock when, as far as its history is loaded. */
export function KeyTimeline({ history: { events, loading }, kind }: KeyTimelineProps) {
  const now = useServerNow();
  // An open bar grows once a second; four times would be drawn for nothing.
  const second = now === null ? null : Math.ceil(now / SECOND_MS) * SECOND_MS;
  const timeline = useMemo(
    () => (second === null ? null : timelineOf(events, takesOf(kind), second)),
    [events, kind, second],
  );
  if (loading && events.length === 0) return <Awaited />;
  if (timeline === null || timeline.lanes.length === 0) return null;
  return <Drawn timeline={timeline} />;
}

/** Keeps the place of one holder. */
function Awaited() {
  return <div aria-hidden className="h-[146px] rounded-[10px] border border-line bg-panel" />;
}

const Drawn = memo(function Drawn({ timeline }: { timeline: Timeline }) {
  const words = useWords(english);
  const barWords = useBarWords();
  const id = useId();
  const [span, setSpan] = useState<Span>("latest");
  const [active, setActive] = useState<Bar["id"]>();
  const bars = inTime(timeline.lanes);
  const view = viewOf(timeline, span);
  const chosen = bars.find((bar) => bar.id === active);
  const isLong = view.to - view.from > DAY_MS;
  const moment = isLong ? formatDate : formatClock;
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id={id} className="font-semibold">
          {words.title}
        </h2>
        {bars.length > LATEST_BARS && <Spans span={span} onSpan={setSpan} />}
      </div>
      <div className="flex flex-col gap-2 rounded-[10px] border border-line bg-panel px-4 py-3">
        <TimelineLanes timeline={timeline} view={view} active={active} onActive={setActive} />
        <Axis view={view} moment={moment} now={words.now} />
        <p aria-live="polite" className="min-h-[1.4em] text-xs text-ink-2" data-testid="hold">
          {chosen === undefined ? (
            <span className="text-ink-3">{words.choose}</span>
          ) : (
            <SafeText text={barText(chosen, barWords)} wrap />
          )}
        </p>
        <Wrongs timeline={timeline} />
        <Legend others={view.others} hasOverlaps={timeline.overlaps.length > 0} />
      </div>
    </section>
  );
});

/** Round moments under the lanes, and now at the right; those that would stand in its way are left out. */
function Axis({ view, moment, now }: { view: TimelineView; moment(at: number): string; now: string }) {
  return (
    <div className="relative ml-24 h-4 text-2xs text-ink-3 sm:ml-36" aria-hidden>
      {ticksOf(view)
        .map((at) => ({ at, left: placeOf(view, at) }))
        .filter(({ left }) => left < 88)
        .map(({ at, left }, index) => (
          <span
            key={at}
            title={formatDate(at)}
            className={clsx(
              "absolute whitespace-nowrap",
              left > 4 && "-translate-x-1/2",
              // Every other one on a phone, where all would run into each other.
              index % 2 === 1 && "max-sm:hidden",
            )}
            style={{ left: `${left}%` }}
          >
            {moment(at)}
          </span>
        ))}
      <span className="absolute right-0" title={formatDate(view.to)}>
        {now}
      </span>
    </div>
  );
}

function Spans({ span, onSpan }: { span: Span; onSpan(span: Span): void }) {
  const words = useWords(english);
  const spans: readonly (readonly [Span, string])[] = [
    ["latest", words.latest],
    ["all", words.all],
  ];
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">{words.shown}</legend>
      {spans.map(([each, name]) => (
        <Button
          key={each}
          size="small"
          look={span === each ? "plain" : "quiet"}
          aria-pressed={span === each}
          onClick={() => onSpan(each)}
        >
          {name}
        </Button>
      ))}
    </fieldset>
  );
}

/** What must be read, not only seen: two holders at one time, and when nobody watched. */
function Wrongs({ timeline: { overlaps, gaps } }: { timeline: Timeline }) {
  const words = useWords(english);
  const barWords = useBarWords();
  if (overlaps.length + gaps.length === 0) return null;
  return (
    <ul aria-label={words.wrong} className="flex flex-col gap-1 text-xs">
      {overlaps.slice(-NAMED_MAX).map((overlap) => (
        <li
          key={overlap.bars.map(({ id }) => id).join()}
          className={overlap.is === "wrong" ? "text-bad" : "text-warn"}
        >
          <SafeText text={overlapText(overlap, barWords)} wrap />
        </li>
      ))}
      {gaps.slice(-NAMED_MAX).map((gap) => (
        <li key={gap.id} className="flex">
          <GapText gap={gap} />
        </li>
      ))}
    </ul>
  );
}

function Legend({ others, hasOverlaps }: { others: number; hasOverlaps: boolean }) {
  const words = useWords(english);
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-2xs text-ink-3">
      <span>
        <span className="font-semibold text-warn">◇</span> {words.expired}
      </span>
      <span>
        <span className="font-semibold text-bad">×</span> {words.forced}
      </span>
      <span>{words.dashed}</span>
      {hasOverlaps && <span>{words.overlap}</span>}
      {others > 0 && <span>{words.others(others)}</span>}
    </p>
  );
}
