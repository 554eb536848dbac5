import clsx from "clsx";
import { type KeyboardEvent, type ReactNode, useId } from "react";
import { parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { formatClock, formatFence } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { EventType, GapEvent } from "@/lib/contract/event.ts";
import { timeline as timelineWords } from "@/lib/i18n/en/timeline.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { formatBar, formatLaneName } from "./bar-text.ts";
import type { HoldBar, HoldBarEnd, HolderLane, Overlap, Timeline } from "./timeline-bars.ts";
import { computeTicks, findNextBar, type TimelineView, toTimelinePercent } from "./timeline-view.ts";
import { useBarMessages } from "./use-bar-messages.ts";

interface TimelineLanesProps {
  timeline: Timeline;
  view: TimelineView;
  /** Whether open holds are overdue. */
  isOverdue: boolean;
  /** The id of the bar that was last selected by keyboard or pointer; `undefined` initially. */
  active: string | undefined;
  onActive(id: string): void;
}

const NAVIGATION_KEYS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);
const HATCH_CLASS = "bg-[repeating-linear-gradient(135deg,currentColor_0_1px,transparent_1px_6px)]";

/** Shows the lanes as a single tab stop. Arrow keys move between the holds. */
export function TimelineLanes({ timeline, view, isOverdue, active, onActive }: TimelineLanesProps) {
  const messages = useMessages(timelineWords);
  const id = useId();
  const idOf = (bar: string) => `${id}-${bar}`;
  const isShown = view.lanes.some(({ bars }) => bars.some((bar) => bar.id === active));
  const onKeyDown = (event: KeyboardEvent) => {
    if (!NAVIGATION_KEYS.has(event.key)) return;
    event.preventDefault();
    const next = findNextBar(view.lanes, active, event.key);
    if (next !== undefined) onActive(next.id);
  };
  return (
    <div
      role="listbox"
      aria-label={messages.holds}
      aria-activedescendant={active !== undefined && isShown ? idOf(active) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="relative flex flex-col gap-1"
    >
      <div className="pointer-events-none absolute inset-y-0 right-0 left-24 sm:left-36" aria-hidden>
        {computeTicks(view).map((at) => (
          <span
            key={at}
            className="absolute inset-y-0 z-10 w-px bg-line"
            style={{ left: `${toTimelinePercent(view, at)}%` }}
          />
        ))}
      </div>
      {view.lanes.map((lane) => (
        <LaneRow
          key={lane.bars[0]?.id}
          {...{ lane, view, isOverdue, active, onActive, idOf }}
          overlaps={timeline.overlaps.filter(({ bars }) =>
            bars.some(({ id }) => lane.bars.some((bar) => bar.id === id)),
          )}
        />
      ))}
      <div className="pointer-events-none absolute inset-y-0 right-0 left-24 sm:left-36" aria-hidden>
        {timeline.gaps.map((gap) => (
          <GapBand key={gap.id} gap={gap} view={view} />
        ))}
      </div>
    </div>
  );
}

interface LaneRowProps extends Omit<TimelineLanesProps, "timeline"> {
  lane: HolderLane;
  overlaps: readonly Overlap[];
  idOf(bar: string): string;
}

function LaneRow({ lane, view, isOverdue, active, onActive, overlaps, idOf }: LaneRowProps) {
  const name = formatLaneName(lane.owner, useBarMessages());
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox
    <div role="group" aria-label={toVisibleText(name)} className="flex h-6 items-center">
      <span
        aria-hidden
        title={toVisibleText(lane.owner)}
        className="w-24 shrink-0 truncate pr-2 font-mono text-2xs text-ink-2 sm:w-36"
      >
        <SafeText text={name} />
      </span>
      <div role="presentation" className="relative h-full min-w-0 flex-1 rounded-[4px] bg-line-soft">
        {lane.bars.map((bar) => (
          <BarMark
            key={bar.id}
            id={idOf(bar.id)}
            bar={bar}
            view={view}
            isOverdue={isOverdue}
            isActive={bar.id === active}
            onActive={() => onActive(bar.id)}
          />
        ))}
        {overlaps.map((overlap) => (
          <OverlapMark key={overlap.bars.map((bar) => bar.id).join()} overlap={overlap} view={view} />
        ))}
      </div>
    </div>
  );
}

const DRAWN_REQUESTS_MAX = 8;
export const REQUEST_MARKS: ReadonlyMap<EventType, string> = new Map([
  ["release_requested", "?"],
  ["release_request_accepted", "✓"],
  ["release_request_refused", "–"],
]);

interface BarMarkProps {
  id: string;
  bar: HoldBar;
  view: TimelineView;
  isOverdue: boolean;
  isActive: boolean;
  onActive(): void;
}

const BAR_CLASSES: Readonly<Record<HoldBarEnd | "overdue", string>> = {
  released: "border-transparent bg-bar",
  unobserved: "border-transparent bg-bar",
  expired: "border-warn bg-warn-bg",
  force_released: "border-bad bg-bad-bg",
  evicted: "border-bad bg-bad-bg",
  open: "border-accent bg-accent-bg",
  overdue: "border-2 border-bad bg-bad-bg",
};

export function BarSwatch({ end }: { end: HoldBarEnd | "overdue" }) {
  return (
    <span
      aria-hidden
      className={clsx("mr-1 inline-block size-2.5 rounded-[2px] border align-[-1px]", BAR_CLASSES[end])}
    />
  );
}

function BarMark({ id, bar, view, isOverdue, isActive, onActive }: BarMarkProps) {
  const [left, right] = [toTimelinePercent(view, bar.from), toTimelinePercent(view, bar.to)];
  const text = toVisibleText(formatBar(bar, useBarMessages()));
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the listbox handles the keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the listbox has the focus and references the active option */}
      <div
        role="option"
        id={id}
        aria-selected={isActive}
        aria-label={text}
        title={text}
        data-end={bar.end}
        onClick={onActive}
        className={clsx(
          "@container absolute inset-y-[3px] cursor-pointer overflow-hidden rounded-[3px] border",
          BAR_CLASSES[bar.end === "open" && isOverdue ? "overdue" : bar.end],
          isActive && "outline-2 outline-accent",
          bar.fromIs === "at_least" && "border-l-ink border-l-2 border-dashed",
          bar.end === "unobserved" && "border-r-2 border-r-ink border-dashed",
        )}
        style={{ left: `${left}%`, width: `max(4px, ${right - left}%)` }}
      >
        {bar.fence !== undefined && (
          <span className="relative z-20 hidden px-1 font-mono text-2xs leading-4 whitespace-nowrap text-ink @min-[64px]:block">
            {formatFence(bar.fence)}
          </span>
        )}
      </div>
      {bar.requests.slice(-DRAWN_REQUESTS_MAX).map(({ id: event, type, at }) => (
        <LaneMark key={event} at={toTimelinePercent(view, at)} className="text-ink">
          {REQUEST_MARKS.get(type)}
        </LaneMark>
      ))}
      <EndMark bar={bar} at={right} />
    </>
  );
}

/** Marks how a hold ended with a shape at the end of its bar, because color must not be the only distinction. */
function EndMark({ bar: { end, owner }, at }: { bar: HoldBar; at: number }) {
  const isForced = end === "force_released" || end === "evicted";
  if (!isForced && (end !== "expired" || parseReservedHold(owner) !== null)) return null;
  return (
    <LaneMark at={at} className={isForced ? "text-bad" : "text-warn"}>
      {isForced ? "×" : "◇"}
    </LaneMark>
  );
}

/** @param at position as a percentage of the width */
function LaneMark({ at, className, children }: { at: number; className: string; children: ReactNode }) {
  return (
    <span
      aria-hidden
      className={clsx(
        "pointer-events-none absolute inset-y-0 z-10 my-[6px] -ml-1.5 flex w-3 items-center justify-center rounded-full bg-panel text-xs leading-none font-semibold",
        className,
      )}
      style={{ left: `${at}%` }}
    >
      {children}
    </span>
  );
}

function OverlapMark({ overlap: { from, to, is }, view }: { overlap: Overlap; view: TimelineView }) {
  if (to < view.from) return null;
  const [left, right] = [toTimelinePercent(view, from), toTimelinePercent(view, to)];
  return (
    <span
      aria-hidden
      data-overlap={is}
      className={clsx(
        "pointer-events-none absolute inset-y-0 rounded-[3px] border-2 border-current",
        HATCH_CLASS,
        is === "wrong" ? "text-bad" : "text-warn",
      )}
      style={{ left: `${left}%`, width: `max(4px, ${right - left}%)` }}
    />
  );
}

function GapBand({ gap: { from, to }, view }: { gap: GapEvent; view: TimelineView }) {
  const messages = useMessages(timelineWords);
  if (to < view.from) return null;
  const [left, right] = [toTimelinePercent(view, from), toTimelinePercent(view, to)];
  return (
    <div
      data-gap
      title={messages.gap(formatClock(from), formatClock(to))}
      className={clsx("@container absolute inset-y-0 border-x border-warn text-warn", HATCH_CLASS)}
      style={{ left: `${left}%`, width: `max(3px, ${right - left}%)` }}
    >
      <span className="hidden w-fit bg-panel px-1 text-2xs @min-[90px]:block">{messages.notWatched}</span>
    </div>
  );
}
