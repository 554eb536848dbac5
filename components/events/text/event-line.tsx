import clsx from "clsx";
import { TargetLink } from "@/components/app/target-link.tsx";
import { buildLockHref } from "@/components/lock-facts/lock-path.ts";
import { formatClock, formatDate, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { GapEvent, HistoryEntry, LockEvent } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { events } from "@/lib/i18n/en/events.ts";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { EventIcon } from "./event-icon.tsx";
import { formatEventDetail } from "./event-text.ts";
import { getEventTone, TONE_CLASSES } from "./event-tone.ts";

export function EventName({ event }: { event: LockEvent }) {
  const { names } = useMessages(events);
  return (
    <span
      className={clsx(
        "inline-flex min-w-0 items-center gap-1.5 font-medium whitespace-nowrap",
        TONE_CLASSES[getEventTone(event.type)],
      )}
    >
      <EventIcon type={event.type} />
      <span className="truncate">{names[event.type]}</span>
    </span>
  );
}

/** Shows a mark if an event was inferred from the state of Redis instead of being reported by the client. */
export function InferredMark({ event }: { event: LockEvent }) {
  const messages = useMessages(events);
  if (event.observed === "exact") return null;
  return (
    <span className="text-2xs text-ink-3" title={messages.inferredHint}>
      {messages.inferred}
    </span>
  );
}

/** Describes a gap, a period for which events are unknown. */
export function GapText({ gap: { from, to } }: { gap: GapEvent }) {
  const messages = useMessages(events);
  return (
    <span
      className="flex min-w-0 items-center gap-1.5 text-warn"
      title={messages.gapSpan(formatDate(from), formatDate(to))}
    >
      <EventIcon type="gap" />
      <span className="truncate">{messages.gap(formatClock(from), formatClock(to))}</span>
    </span>
  );
}

/** Shows an event or gap in a narrow column. */
export function EventLine({ entry }: { entry: HistoryEntry }) {
  if (isGap(entry)) {
    return (
      <li className="flex border-b border-line-soft py-1.5 text-2xs">
        <GapText gap={entry} />
      </li>
    );
  }
  return <LockEventLine event={entry} />;
}

function LockEventLine({ event }: { event: LockEvent }) {
  const messages = useMessages(events);
  const uiMessages = useMessages(ui);
  const detail = formatEventDetail(event, { events: messages, lock: useMessages(lock) }, true);
  return (
    <li className="grid grid-cols-[58px_minmax(0,1fr)] gap-2 border-b border-line-soft py-1.5 font-mono text-2xs">
      <time className="text-ink-3" dateTime={new Date(event.at).toISOString()}>
        {formatClock(event.at)}
      </time>
      <div className="min-w-0">
        {/* If the name and the times do not fit on one line, the times are below the name. */}
        <div className="flex flex-wrap items-baseline gap-x-2">
          <EventName event={event} />
          <span className="ml-auto flex shrink-0 gap-2 whitespace-nowrap text-ink-3">
            {event.heldMs !== undefined && (
              <span>{messages.heldFor(formatSpan(event.heldMs, uiMessages))}</span>
            )}
            <InferredMark event={event} />
          </span>
        </div>
        <TargetLink
          href={buildLockHref(event)}
          prefetch={false}
          title={toVisibleText(event.key)}
          className="block truncate text-ink hover:underline"
        >
          <SafeText text={event.key} />
        </TargetLink>
        {detail !== "" && (
          <div className="line-clamp-2 text-ink-3" title={toVisibleText(event.owner ?? "")}>
            <SafeText text={detail} wrap />
          </div>
        )}
      </div>
    </li>
  );
}
