"use client";

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { TargetLink } from "@/components/app/target-link.tsx";
import { buildLockHref } from "@/components/lock-facts/lock-path.ts";
import { Button } from "@/components/ui/button.tsx";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { formatDate, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { GapEvent, HistoryEntry, LockEvent } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { isStored } from "@/lib/live/event-ids.ts";
import { EventName } from "../text/event-line.tsx";
import { formatExactTime } from "../text/event-time.ts";

interface EventDetailsProps {
  /** The entry to show; `undefined` if the entry in the URL does not exist. */
  entry: HistoryEntry | undefined;
  onClose(): void;
  /** Starts a replay of the events around a time, in Unix milliseconds. */
  onReplay(at: number): void;
}

/**
 * Shows the details of an event or gap next to the list. In windows narrower than 1024 px, the details cover the lower
 * part of the list.
 */
export function EventDetails({ entry, onClose, onReplay }: EventDetailsProps) {
  const { details: messages } = useMessages(eventsPage);
  const title = entry !== undefined && isGap(entry) ? messages.gapTitle : messages.title;
  return (
    <aside
      aria-label={title}
      className="flex min-h-0 w-[360px] shrink-0 flex-col gap-3 overflow-y-auto rounded-t-[10px] border border-b-0 border-line bg-panel px-4 py-3 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-30 max-lg:max-h-[62dvh] max-lg:w-auto max-lg:shadow-sheet"
    >
      <div className="flex items-center gap-2">
        <h2 className="flex-1 font-semibold">
          {entry === undefined || isGap(entry) ? title : <EventName event={entry} />}
        </h2>
        <Button
          variant="quiet"
          size="small-icon"
          aria-label={messages.close}
          title={messages.close}
          onClick={onClose}
        >
          <X aria-hidden size={14} />
        </Button>
      </div>
      {entry === undefined ? (
        <p className="text-ink-2">{messages.closed}</p>
      ) : (
        <>
          {isGap(entry) ? <GapFacts gap={entry} /> : <EventFacts event={entry} />}
          <EventActions entry={entry} onReplay={onReplay} />
          <RawEvent entry={entry} />
        </>
      )}
    </aside>
  );
}

function EventFacts({ event }: { event: LockEvent }) {
  const { details: messages } = useMessages(eventsPage);
  const uiMessages = useMessages(ui);
  const { key, owner, by, reason, heldMs, fence, count, observed } = event;
  return (
    <dl className="grid grid-cols-[88px_minmax(0,1fr)] gap-x-3 gap-y-1.5">
      <EventFact name={messages.when}>
        <time
          dateTime={new Date(event.at).toISOString()}
          title={formatDate(event.at)}
          className="font-mono text-xs"
        >
          {formatExactTime(event.at)}
        </time>
      </EventFact>
      <EventFact name={messages.key}>
        <TargetLink
          href={buildLockHref(event)}
          prefetch={false}
          className="font-mono text-xs text-accent hover:underline"
        >
          <SafeText text={key} wrap />
        </TargetLink>
      </EventFact>
      {owner !== undefined && (
        <EventFact name={messages.owner}>
          <span className="font-mono text-xs">
            <SafeText text={owner} wrap />
          </span>
        </EventFact>
      )}
      {by !== undefined && (
        <EventFact name={messages.by}>
          <SafeText text={by} wrap />
        </EventFact>
      )}
      {by !== undefined && (
        <EventFact name={messages.reason}>
          {reason ? <SafeText text={reason} wrap /> : messages.none}
        </EventFact>
      )}
      {by === undefined && reason !== undefined && reason !== "" && (
        <EventFact name={messages.answer}>
          <SafeText text={reason} wrap />
        </EventFact>
      )}
      {heldMs !== undefined && <EventFact name={messages.held}>{formatSpan(heldMs, uiMessages)}</EventFact>}
      {fence !== undefined && (
        <EventFact name={messages.fence}>
          <span className="font-mono text-xs">{fence}</span>
        </EventFact>
      )}
      {count !== undefined && <EventFact name={messages.count}>{count}</EventFact>}
      <EventFact name={messages.source}>
        {isStored(event) ? messages[observed] : `${messages[observed]}; ${messages.liveOnly}`}
      </EventFact>
    </dl>
  );
}

function GapFacts({ gap }: { gap: GapEvent }) {
  const { details: messages } = useMessages(eventsPage);
  const uiMessages = useMessages(ui);
  return (
    <>
      <p className="text-warn">{messages.gapText}</p>
      <dl className="grid grid-cols-[88px_minmax(0,1fr)] gap-x-3 gap-y-1.5">
        <EventFact name={messages.from}>{formatDate(gap.from)}</EventFact>
        <EventFact name={messages.to}>{formatDate(gap.to)}</EventFact>
        <EventFact name={messages.lasted}>{formatSpan(gap.to - gap.from, uiMessages)}</EventFact>
      </dl>
    </>
  );
}

function EventFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

function EventActions({ entry, onReplay }: { entry: HistoryEntry; onReplay(at: number): void }) {
  const { details: messages } = useMessages(eventsPage);
  return (
    <div className="flex flex-wrap gap-2">
      {isStored(entry) && (
        <CopyButton text={buildEventLink(entry)} label={messages.copyLink}>
          {messages.copyLink}
        </CopyButton>
      )}
      <Button onClick={() => onReplay(isGap(entry) ? entry.from : entry.at)}>{messages.replay}</Button>
    </div>
  );
}

/** Builds a URL that opens the events page at the time of the entry, with the details of the entry open. */
function buildEventLink({ at, id }: HistoryEntry): string {
  const address = new URL(location.href);
  for (const name of ["from", "to", "speed"]) address.searchParams.delete(name);
  address.searchParams.set("at", String(Math.ceil(at)));
  address.hash = encodeURIComponent(id);
  return address.href;
}

function RawEvent({ entry }: { entry: HistoryEntry }) {
  const { details: messages } = useMessages(eventsPage);
  const text = JSON.stringify(entry, null, 2);
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <h3 className="flex-1 text-2xs text-ink-3">{messages.raw}</h3>
        <CopyButton text={text} label={messages.copyRaw} />
      </div>
      <pre className="rounded-[8px] border border-line bg-bg px-3 py-2 font-mono text-2xs leading-relaxed wrap-anywhere whitespace-pre-wrap">
        {text.split("\n").map((line) => (
          <div key={line} className={line.startsWith(" ") ? "pl-4" : undefined}>
            <SafeText text={line.trim()} wrap />
          </div>
        ))}
      </pre>
    </div>
  );
}
