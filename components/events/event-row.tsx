import clsx from "clsx";
import { KeyText } from "@/components/lock/key-text.tsx";
import { hrefOf } from "@/components/lock/lock-facts.ts";
import { TargetLink } from "@/components/shell/target-link.tsx";
import { formatClock, formatClockMs, formatDate } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { HistoryEntry, LockEvent } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { Derived, EventName, GapText } from "./event-line.tsx";
import { eventDetail } from "./event-text.ts";

interface EventRowProps {
  entry: HistoryEntry;
  top: number;
  /** How many the stream left out between this one and the one before it. */
  skipped: number;
}

/** One line of the stream, at its place in the virtual list. */
export function EventRow({ entry, top, skipped }: EventRowProps) {
  const at = "absolute inset-x-0 h-8 items-center border-b border-line-soft px-4";
  if (isGap(entry)) {
    return (
      <li className={clsx(at, "flex bg-warn-bg text-xs")} style={{ top }}>
        <GapText gap={entry} />
      </li>
    );
  }
  return (
    <li
      className={clsx(
        at,
        "grid grid-cols-[58px_96px_minmax(0,1fr)] gap-3 @3xl:grid-cols-[92px_112px_minmax(0,5fr)_minmax(0,6fr)_92px]",
      )}
      style={{ top }}
    >
      <EventCells event={entry} skipped={skipped} />
    </li>
  );
}

function EventCells({ event, skipped }: { event: LockEvent; skipped: number }) {
  const detail = eventDetail(event);
  return (
    <>
      <time
        className="font-mono text-xs text-ink-3"
        dateTime={new Date(event.at).toISOString()}
        title={formatDate(event.at)}
      >
        <span className="@3xl:hidden">{formatClock(event.at)}</span>
        <span className="@max-3xl:hidden">{formatClockMs(event.at)}</span>
      </time>
      <EventName event={event} />
      <TargetLink href={hrefOf(event)} prefetch={false} className="flex min-w-0 hover:underline">
        <KeyText text={event.key} />
      </TargetLink>
      <span
        className="truncate font-mono text-xs text-ink-2 @max-3xl:hidden"
        title={visibleText(event.owner ?? "")}
      >
        <SafeText text={detail} />
      </span>
      <span className="text-right whitespace-nowrap @max-3xl:hidden">
        {skipped > 0 ? <Skipped count={skipped} /> : <Derived event={event} />}
      </span>
    </>
  );
}

function Skipped({ count }: { count: number }) {
  const isCounted = Number.isFinite(count);
  return (
    <span
      className="text-2xs text-warn"
      title={
        isCounted
          ? `${count} earlier events came faster than they can be shown; they are there when you show events until then`
          : "More happened while this page had no connection; it is there when you show events until then"
      }
    >
      {isCounted ? `+${count} not shown` : "some not shown"}
    </span>
  );
}
