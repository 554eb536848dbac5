"use client";

import clsx from "clsx";
import { memo, type ReactNode, useId, useMemo, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatClock, formatDate } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { LockKind } from "@/lib/contract/format.ts";
import { timeline as english } from "@/lib/i18n/en/timeline.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import type { KeyEvents } from "../key-history/use-key-events.ts";
import { GapText } from "../text/event-line.tsx";
import { formatBar, formatOverlap } from "./bar-text.ts";
import {
  buildTimeline,
  getHolderCapacity,
  type HoldBar,
  sortBarsByTime,
  type Timeline,
} from "./timeline-bars.ts";
import { TimelineLanes } from "./timeline-lanes.tsx";
import { TimelineLegend } from "./timeline-legend.tsx";
import {
  computeTicks,
  LATEST_BARS,
  selectTimelineView,
  type TimelineSpan,
  type TimelineView,
  toTimelinePercent,
} from "./timeline-view.ts";
import { useBarMessages } from "./use-bar-messages.ts";

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
/** Maximum number of overlaps to describe. The event list below the timeline contains the events of all overlaps. */
const LISTED_OVERLAPS_MAX = 3;

interface KeyTimelineProps {
  history: KeyEvents;
  kind: LockKind | null;
  /** Whether the current holder is overdue. */
  isOverdue: boolean;
  /** The time in Unix milliseconds at which the timeline ends; `undefined` for now. */
  at?: number | undefined;
  /** The controls that select another time, shown above the lanes. */
  controls: ReactNode;
  /** Shown between the controls and the lanes. */
  children?: ReactNode;
}

/** Shows who held a lock and when, based on the loaded history. */
export function KeyTimeline(props: KeyTimelineProps) {
  const { history, kind, at, controls, children } = props;
  const { events, loading } = history;
  const now = useServerNow();
  // Rounds to seconds so that open bars grow once per second, although `now` changes four times per second.
  const end = at ?? (now === null ? null : Math.ceil(now / SECOND_MS) * SECOND_MS);
  const timeline = useMemo(
    () => (end === null ? null : buildTimeline(events, getHolderCapacity(kind), end)),
    [events, kind, end],
  );
  if (loading && events.length === 0 && at === undefined) return <LoadingTimeline />;
  if (timeline === null) return null;
  const isEmpty = timeline.lanes.length === 0;
  if (isEmpty && at === undefined) return null;
  return (
    <TimelineSection history={history} timeline={timeline}>
      {(span) => (
        <>
          {controls}
          {children}
          {isEmpty ? (
            <NoHolds isLoading={loading} />
          ) : (
            <DrawnTimeline {...props} timeline={timeline} span={span} />
          )}
        </>
      )}
    </TimelineSection>
  );
}

/** Reserves the space of a timeline with a single holder while the history loads. */
function LoadingTimeline() {
  return <div aria-hidden className="h-[146px] rounded-[10px] border border-line bg-panel" />;
}

function NoHolds({ isLoading }: { isLoading: boolean }) {
  const messages = useMessages(english);
  return <p className="text-ink-3">{isLoading ? messages.looking : messages.noHolds}</p>;
}

interface TimelineSectionProps {
  history: KeyEvents;
  timeline: Timeline;
  children(span: TimelineSpan): ReactNode;
}

function TimelineSection({ history: { loadOlder, loadingOlder }, timeline, children }: TimelineSectionProps) {
  const messages = useMessages(english);
  const id = useId();
  const [span, setSpan] = useState<TimelineSpan>("latest");
  const barCount = timeline.lanes.reduce((sum, { bars }) => sum + bars.length, 0);
  const showOlder = () => {
    setSpan("all");
    loadOlder?.();
  };
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id={id} className="font-semibold">
          {messages.title}
        </h2>
        <div className="flex flex-wrap gap-1">
          {barCount > LATEST_BARS && <TimelineSpanPicker span={span} onSpan={setSpan} />}
          {loadOlder !== undefined && (
            <Button size="small" onClick={showOlder} blocked={loadingOlder ? messages.onTheirWay : null}>
              {messages.olderHolds}
            </Button>
          )}
        </div>
      </div>
      <div className="flex flex-col gap-2 rounded-[10px] border border-line bg-panel px-4 py-3">
        {children(span)}
      </div>
    </section>
  );
}

interface DrawnTimelineProps extends Pick<KeyTimelineProps, "isOverdue" | "at"> {
  timeline: Timeline;
  span: TimelineSpan;
}

const DrawnTimeline = memo(function Drawn({ timeline, span, isOverdue, at }: DrawnTimelineProps) {
  const messages = useMessages(english);
  const barMessages = useBarMessages();
  const [active, setActive] = useState<HoldBar["id"]>();
  const bars = sortBarsByTime(timeline.lanes);
  const view = selectTimelineView(timeline, span);
  const chosen = bars.find((bar) => bar.id === active);
  const isLong = view.to - view.from > DAY_MS;
  const moment = isLong ? formatDate : formatClock;
  return (
    <>
      <TimelineLanes
        timeline={timeline}
        view={view}
        isOverdue={isOverdue && at === undefined}
        active={active}
        onActive={setActive}
      />
      <TimeAxis view={view} moment={moment} now={at === undefined ? messages.now : moment(at)} />
      <p aria-live="polite" className="min-h-[1.4em] text-xs text-ink-2" data-testid="hold">
        {chosen === undefined ? (
          <span className="text-ink-3">{messages.choose}</span>
        ) : (
          <SafeText text={formatBar(chosen, barMessages)} wrap />
        )}
      </p>
      <OverlapList timeline={timeline} />
      <TimelineLegend
        others={view.others}
        hasOverlaps={timeline.overlaps.length > 0}
        ends={
          new Set(bars.map(({ end }) => (end === "open" && isOverdue && at === undefined ? "overdue" : end)))
        }
        isPast={at !== undefined}
        hasRequests={bars.some(({ requests }) => requests.length > 0)}
        hasFences={bars.some(({ fence }) => fence !== undefined)}
      />
    </>
  );
});

/**
 * Labels round times below the lanes, and the end of the timeline on the right. Omits labels that would overlap the
 * label of the end.
 */
function TimeAxis({ view, moment, now }: { view: TimelineView; moment(at: number): string; now: string }) {
  return (
    <div className="relative ml-24 h-4 text-2xs text-ink-3 sm:ml-36" aria-hidden>
      {computeTicks(view)
        .map((at) => ({ at, left: toTimelinePercent(view, at) }))
        .filter(({ left }) => left < 88)
        .map(({ at, left }, index) => (
          <span
            key={at}
            title={formatDate(at)}
            className={clsx(
              "absolute whitespace-nowrap",
              left > 4 && "-translate-x-1/2",
              // On phones, adjacent labels would overlap, so every other label is hidden.
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

function TimelineSpanPicker({ span, onSpan }: { span: TimelineSpan; onSpan(span: TimelineSpan): void }) {
  const messages = useMessages(english);
  const spans: readonly (readonly [TimelineSpan, string])[] = [
    ["latest", messages.latest],
    ["all", messages.all],
  ];
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">{messages.shown}</legend>
      {spans.map(([each, name]) => (
        <Button
          key={each}
          size="small"
          variant={span === each ? "plain" : "quiet"}
          aria-pressed={span === each}
          onClick={() => onSpan(each)}
        >
          {name}
        </Button>
      ))}
    </fieldset>
  );
}

/** Describes overlaps and gaps in words. */
function OverlapList({ timeline: { overlaps, gaps } }: { timeline: Timeline }) {
  const messages = useMessages(english);
  const barMessages = useBarMessages();
  if (overlaps.length + gaps.length === 0) return null;
  return (
    <ul aria-label={messages.problems} className="flex flex-col gap-1 text-xs">
      {overlaps.slice(-LISTED_OVERLAPS_MAX).map((overlap) => (
        <li
          key={overlap.bars.map(({ id }) => id).join()}
          className={overlap.is === "wrong" ? "text-bad" : "text-warn"}
        >
          <SafeText text={formatOverlap(overlap, barMessages)} wrap />
        </li>
      ))}
      {gaps.slice(-LISTED_OVERLAPS_MAX).map((gap) => (
        <li key={gap.id} className="flex">
          <GapText gap={gap} />
        </li>
      ))}
    </ul>
  );
}
