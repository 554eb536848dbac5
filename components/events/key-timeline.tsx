"use client";

import { memo, useId, useMemo, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatClock, formatDate } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Kind } from "@/lib/contract/format.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { barText, overlapText } from "./bar-text.ts";
import { GapText } from "./event-line.tsx";
import { type Bar, inTime, type Timeline, takesOf, timelineOf } from "./lanes.ts";
import { TimelineLanes } from "./timeline-lanes.tsx";
import { LATEST_BARS, type Span, viewOf } from "./timeline-view.ts";
import type { KeyEvents } from "./use-key-events.ts";

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
/** The rest stands in the list below. */
const NAMED_MAX = 3;

/** Who held the lock when, as far as its history is loaded. */
export function KeyTimeline({ history: { events }, kind }: { history: KeyEvents; kind: Kind | null }) {
  const now = useServerNow();
  // An open bar grows once a second; four times would be drawn for nothing.
  const second = now === null ? null : Math.ceil(now / SECOND_MS) * SECOND_MS;
  const timeline = useMemo(
    () => (second === null ? null : timelineOf(events, takesOf(kind), second)),
    [events, kind, second],
  );
  if (timeline === null || timeline.lanes.length === 0) return null;
  return <Drawn timeline={timeline} />;
}

const Drawn = memo(function Drawn({ timeline }: { timeline: Timeline }) {
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
          Timeline
        </h2>
        {bars.length > LATEST_BARS && <Spans span={span} onSpan={setSpan} />}
      </div>
      <div className="flex flex-col gap-2 rounded-[10px] border border-line bg-panel px-4 py-3">
        <TimelineLanes timeline={timeline} view={view} active={active} onActive={setActive} />
        <div className="flex justify-between pl-24 text-2xs text-ink-3 sm:pl-36" aria-hidden>
          <span title={formatDate(view.from)}>{moment(view.from)}</span>
          <span title={formatDate(view.to)}>{moment(view.to)}</span>
        </div>
        <p aria-live="polite" className="min-h-[1.4em] text-xs text-ink-2" data-testid="hold">
          {chosen === undefined ? (
            <span className="text-ink-3">Choose a hold with the arrow keys or the pointer.</span>
          ) : (
            <SafeText text={barText(chosen)} wrap />
          )}
        </p>
        <Wrongs timeline={timeline} />
        <Legend others={view.others} />
      </div>
    </section>
  );
});

function Spans({ span, onSpan }: { span: Span; onSpan(span: Span): void }) {
  const spans: readonly (readonly [Span, string])[] = [
    ["latest", "Latest holds"],
    ["all", "All that is loaded"],
  ];
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">Shown on the timeline</legend>
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
  if (overlaps.length + gaps.length === 0) return null;
  return (
    <ul aria-label="What is wrong or unknown" className="flex flex-col gap-1 text-xs">
      {overlaps.slice(-NAMED_MAX).map((overlap) => (
        <li
          key={overlap.bars.map(({ id }) => id).join()}
          className={overlap.is === "wrong" ? "text-bad" : "text-warn"}
        >
          <SafeText text={overlapText(overlap)} wrap />
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

function Legend({ others }: { others: number }) {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-2xs text-ink-3">
      <span>
        <span className="font-semibold text-warn">◇</span> expired
      </span>
      <span>
        <span className="font-semibold text-bad">×</span> freed by force, or evicted
      </span>
      <span>Dashed: its end or its beginning was not seen</span>
      {others > 0 && <span>{`${others} earlier holders are not drawn.`}</span>}
    </p>
  );
}
