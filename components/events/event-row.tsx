import Link from "next/link";
import { KeyText } from "@/components/locks/key-text.tsx";
import { hrefOf } from "@/components/locks/lock-facts.ts";
import { formatClock, formatClockMs, formatDate } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { LockEvent } from "@/lib/contract/event.ts";
import { Derived, EventName } from "./event-line.tsx";
import { eventDetail } from "./event-text.ts";

interface EventRowProps {
  event: LockEvent;
  top: number;
  /** How many the stream left out between this one and the one before it. */
  skipped: number;
}

/** One line of the stream, at its place in the virtual list. */
export function EventRow({ event, top, skipped }: EventRowProps) {
  const detail = eventDetail(event);
  return (
    <li
      className="absolute inset-x-0 grid h-8 grid-cols-[58px_96px_minmax(0,1fr)] items-center gap-3 border-b border-line-soft px-4 @3xl:grid-cols-[92px_112px_minmax(0,5fr)_minmax(0,6fr)_92px]"
      style={{ top }}
    >
      <time
        className="font-mono text-xs text-ink-3"
        dateTime={new Date(event.at).toISOString()}
        title={formatDate(event.at)}
      >
        <span className="@3xl:hidden">{formatClock(event.at)}</span>
        <span className="@max-3xl:hidden">{formatClockMs(event.at)}</span>
      </time>
      <EventName event={event} />
      <Link href={hrefOf(event)} prefetch={false} className="flex min-w-0 hover:underline">
        <KeyText text={event.key} />
      </Link>
      <span
        className="truncate font-mono text-xs text-ink-2 @max-3xl:hidden"
        title={visibleText(event.owner ?? "")}
      >
        <SafeText text={detail} />
      </span>
      <span className="text-right whitespace-nowrap @max-3xl:hidden">
        {skipped > 0 ? <Skipped count={skipped} /> : <Derived event={event} />}
      </span>
    </li>
  );
}

function Skipped({ count }: { count: number }) {
  return (
    <span
      className="text-2xs text-warn"
      title={`${count} earlier events came faster than they can be shown; the lock's own page has them`}
    >
      +{count} not shown
    </span>
  );
}
