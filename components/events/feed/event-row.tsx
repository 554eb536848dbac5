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
import { formatExactTime, formatShortTime } from "../text/event-time.ts";

interface EventRowProps {
  entry: HistoryEntry;
  top: number;
  /** How many the stream left out between this one and the one before it. */
  skipped: number;
  isOpen: boolean;
  onOpen(entry: HistoryEntry): void;
  /** All that came until then, also what was left out. */
  onJump(at: number): void;
}

const COLUMNS_CLASS =
  "grid grid-cols-[62px_104px_minmax(0,1fr)] gap-3 @3xl:grid-cols-[112px_112px_minmax(0,5fr)_minmax(0,6fr)_92px]";
/** The whole line opens it; what stands on top of it has a click of its own. */
const OPEN_BUTTON_CLASS =
  "text-left outline-offset-[-2px] after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent";

/** One line of the stream, at its place in the list. What is new above it moves it, and draws nothing of it anew. */
export function EventRow({ entry, top, ...rest }: EventRowProps) {
  const { isOpen } = rest;
  return (
    <li
      data-id={entry.id}
      className={clsx(
        "absolute inset-x-0 h-8 items-center border-b border-line-soft px-4",
        isGap(entry)
          ? "flex bg-[repeating-linear-gradient(135deg,var(--warn-bg)_0_10px,var(--panel)_10px_14px)] text-xs"
          : COLUMNS_CLASS,
        isOpen ? "bg-selected" : "hover:bg-bg",
      )}
      style={{ top }}
    >
      {isGap(entry) ? <GapCells entry={entry} {...rest} /> : <EventCells entry={entry} {...rest} />}
    </li>
  );
}

type CellsProps<Entry> = Omit<EventRowProps, "top" | "entry"> & { entry: Entry };

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
  const { entry: event, skipped, isOpen, onOpen, onJump } = props;
  const messages = useMessages(events);
  const { list } = useMessages(eventsPage);
  const detail = formatEventDetail(event, { events: messages, lock: useMessages(lock) });
  const time = formatShortTime(event.at);
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
          <span className="@3xl:hidden">{formatClock(event.at)}</span>
          <span className="@max-3xl:hidden">{formatExactTime(event.at)}</span>
        </time>
      </button>
      <EventName event={event} />
      <span className="flex min-w-0">
        <KeyText text={event.key} />
      </span>
      <span
        className="truncate font-mono text-xs text-ink-2 @max-3xl:hidden"
        title={toVisibleText(event.owner ?? "")}
      >
        <SafeText text={detail} />
      </span>
      <span className="text-right whitespace-nowrap @max-3xl:hidden">
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
