import clsx from "clsx";
import { memo } from "react";
import { KeyText } from "@/components/lock-facts/key-text.tsx";
import { formatClock, formatDate, formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { GapEvent, HistoryEntry, LockEvent } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { events } from "@/lib/i18n/en/events.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { EventName, GapText, InferredMark } from "../text/event-line.tsx";
import { formatEventDetail } from "../text/event-text.ts";
import { formatExactTime } from "../text/event-time.ts";
import {
  COLUMN_CLASSES,
  type FeedLayout,
  OPEN_BUTTON_CLASS,
  ROW_CLASS,
  ROW_PX,
  type RowPlace,
} from "./feed-layout.ts";

interface EventRowProps {
  entry: HistoryEntry;
  place: RowPlace;
  /** Number of events that the stream skipped between this event and the previous one. */
  skipped: number;
  isOpen: boolean;
  onOpen(entry: HistoryEntry): void;
  /** Called to show the events up to a time, in Unix milliseconds, including the skipped events. */
  onJump(at: number): void;
}

/**
 * Shows one event or gap. When rows are added above, this row changes its position without rendering its content again.
 */
export function EventRow({ entry, place, ...rest }: EventRowProps) {
  const { isOpen } = rest;
  return (
    <li
      data-id={entry.id}
      className={clsx(
        ROW_CLASS,
        isGap(entry)
          ? "flex bg-[repeating-linear-gradient(135deg,var(--warn-bg)_0_10px,var(--panel)_10px_14px)] text-xs"
          : COLUMN_CLASSES[place.layout],
        isOpen ? "bg-selected" : "hover:bg-bg",
      )}
      style={{ top: place.top, height: ROW_PX[place.layout] }}
    >
      {isGap(entry) ? (
        <GapCells entry={entry} layout={place.layout} {...rest} />
      ) : (
        <EventCells entry={entry} layout={place.layout} {...rest} />
      )}
    </li>
  );
}

type CellsProps<Entry> = Omit<EventRowProps, "place" | "entry"> & { entry: Entry; layout: FeedLayout };

const GapCells = memo(function GapCells({ entry, isOpen, onOpen }: CellsProps<GapEvent>) {
  const { list } = useMessages(eventsPage);
  const messages = useMessages(events);
  const label = list.openGap(messages.gap(formatClock(entry.from), formatClock(entry.to)));
  return (
    <button
      type="button"
      aria-label={label}
      aria-expanded={isOpen}
      onClick={() => onOpen(entry)}
      className={clsx("flex min-w-0", OPEN_BUTTON_CLASS)}
    >
      <GapText gap={entry} />
    </button>
  );
});

const EventCells = memo(function EventCells(props: CellsProps<LockEvent>) {
  const { entry: event, layout, skipped, isOpen, onOpen, onJump } = props;
  const messages = useMessages(events);
  const { list } = useMessages(eventsPage);
  const detail = formatEventDetail(event, { events: messages, lock: useMessages(lock) });
  const isNarrow = layout === "narrow";
  const time = isNarrow ? formatClock(event.at) : formatExactTime(event.at);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={list.open(messages.names[event.type], toVisibleText(event.key), time)}
        onClick={() => onOpen(event)}
        className={clsx("font-mono text-xs whitespace-nowrap text-ink-3", OPEN_BUTTON_CLASS)}
      >
        <time dateTime={new Date(event.at).toISOString()} title={formatDate(event.at)}>
          {time}
        </time>
      </button>
      <EventName event={event} />
      <span className={clsx("flex min-w-0", isNarrow && "col-start-1 col-end-3 row-start-2")}>
        <KeyText text={event.key} />
      </span>
      <span
        className={clsx("truncate font-mono text-xs text-ink-2", isNarrow && "row-start-2 text-right")}
        title={toVisibleText(event.owner ?? "")}
      >
        <SafeText text={detail} />
      </span>
      <span className={clsx("text-right whitespace-nowrap", isNarrow && "col-start-3 row-start-1")}>
        {skipped > 0 ? (
          <SkippedEvents count={skipped} onJump={() => onJump(event.at)} />
        ) : (
          <InferredMark event={event} />
        )}
      </span>
    </>
  );
});

function SkippedEvents({ count, onJump }: { count: number; onJump(): void }) {
  const { list } = useMessages(eventsPage);
  const isCounted = Number.isFinite(count);
  return (
    <button
      type="button"
      onClick={onJump}
      className="relative z-10 h-6 text-2xs text-warn hover:underline"
      title={isCounted ? list.skippedHint : list.someSkippedHint}
    >
      {isCounted ? list.skipped(formatNumber(count)) : list.someSkipped}
    </button>
  );
}
