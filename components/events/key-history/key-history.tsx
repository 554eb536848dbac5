"use client";

import clsx from "clsx";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatClockMs, formatDate } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { HistoryEntry } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { events as eventNames } from "@/lib/i18n/en/events.ts";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { timeline } from "@/lib/i18n/en/timeline.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { EventName, GapText, InferredMark } from "../text/event-line.tsx";
import { formatEventDetail } from "../text/event-text.ts";
import type { KeyEvents } from "./use-key-events.ts";
import { useLinkedEvent } from "./use-linked-event.ts";

/** Number of rows to show at first. The number is small because other sections of the page follow. */
const FIRST_ROWS = 15;
const MORE_ROWS = 50;

export function KeyHistory({ history }: { history: KeyEvents }) {
  const texts = useMessages(timeline);
  const { events, complete, loading, failed, loadOlder, loadingOlder } = history;
  // If the target is down, the status banner already shows the reason.
  const isDown = useLiveState().health?.state === "down";
  const linked = useSearchParams().get("event");
  const [rows, setRows] = useState(FIRST_ROWS);
  const shown = events.slice(0, Math.max(rows, 1 + events.findIndex(({ id }) => id === linked)));
  const hasMore = shown.length < events.length || loadOlder !== undefined;
  const showMore = () => {
    setRows(shown.length + MORE_ROWS);
    if (events.length < shown.length + MORE_ROWS) loadOlder?.();
  };
  return (
    <section aria-labelledby="recent-events" className="flex flex-col gap-2">
      <h2 id="recent-events" className="font-semibold">
        {texts.events}
      </h2>
      <div className="rounded-[10px] border border-line bg-panel px-4 py-1">
        {events.length === 0 && (
          <p className="py-2 text-ink-3">
            {loading ? texts.looking : failed && !isDown ? texts.failed : texts.none}
          </p>
        )}
        <ol>
          {shown.map((event) => (
            <KeyHistoryLine key={event.id} entry={event} />
          ))}
        </ol>
        {hasMore && (
          <div className="py-2">
            <Button onClick={showMore} blocked={loadingOlder ? texts.onTheirWay : null}>
              {loadingOlder ? texts.loadingOlder : texts.older}
            </Button>
          </div>
        )}
        {!hasMore && !complete && <p className="py-2 text-ink-3">{texts.notKept}</p>}
      </div>
    </section>
  );
}

function KeyHistoryLine({ entry: event }: { entry: HistoryEntry }) {
  const messages = { events: useMessages(eventNames), lock: useMessages(lock) };
  const { place, isLinked } = useLinkedEvent(event.id);
  if (isGap(event)) {
    return (
      <li className="flex border-b border-line-soft py-1.5 text-xs last:border-0">
        <GapText gap={event} />
      </li>
    );
  }
  const detail = formatEventDetail(event, messages);
  return (
    <li
      ref={place}
      aria-current={isLinked || undefined}
      className={clsx(
        "grid grid-cols-[92px_minmax(0,1fr)] gap-x-3 border-b border-line-soft py-1.5 font-mono text-xs last:border-0 sm:grid-cols-[92px_140px_minmax(0,1fr)_auto]",
        isLinked && "-mx-4 bg-selected px-4",
      )}
    >
      <time className="text-ink-3" dateTime={new Date(event.at).toISOString()} title={formatDate(event.at)}>
        {formatClockMs(event.at)}
      </time>
      <EventName event={event} />
      <span className="truncate text-ink-2 max-sm:col-start-2" title={toVisibleText(event.owner ?? "")}>
        <SafeText text={detail} />
      </span>
      <InferredMark event={event} />
    </li>
  );
}
