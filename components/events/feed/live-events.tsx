"use client";

import { useCallback, useEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { useCommands } from "@/components/app/command-registry.tsx";
import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { EventReader, EventWindow } from "@/lib/live/event-reader.ts";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { formatShortTime } from "../text/event-time.ts";
import type { EventListHandle } from "./event-list.tsx";
import { EventStream } from "./event-stream.tsx";
import { EventPauseButton } from "./pause-button.tsx";
import { type EventSearch, useEventReader } from "./use-event-reader.ts";

interface LiveEventsProps {
  /** The element in the page header that contains the buttons; `null` until that element is mounted. */
  controls: HTMLElement | null;
  search: EventSearch;
  at: number | undefined;
  onJump(at: number | undefined): void;
  onReplay(at: number): void;
  onClear(): void;
}

/** Shows live events followed by the history. If `at` is set, shows the events around that time instead. */
export function LiveEvents({ controls, search, at, onJump, onReplay, onClear }: LiveEventsProps) {
  const [reading, reader] = useEventReader(search, at);
  const { commands } = useMessages(eventsPage);
  const { events } = useLiveStore();
  const list = useRef<EventListHandle>(null);
  const { entries, newer, older, paused, waiting } = reading;
  const onTop = useCallback((top: boolean) => reader.setScrolledAway(!top), [reader]);
  const onReading = useCallback((isReading: boolean) => reader.holdStill(isReading), [reader]);
  const resume = () => {
    list.current?.toTop();
    reader.setScrolledAway(false);
    if (at !== undefined) onJump(undefined);
    else if (newer === "live") reader.resume();
    else reader.jumpToNow();
  };
  const toggle = () => (paused ? resume() : reader.pause());
  useShortcuts({
    p: toggle,
    " ": (event) => {
      if (isButtonPressed(event)) return;
      event.preventDefault();
      toggle();
    },
  });
  useCommands(
    at === undefined
      ? [{ id: "events:pause", name: paused ? commands.resume : commands.pause, keys: "p", run: toggle }]
      : [{ id: "events:now", name: commands.live, run: resume }],
  );
  const isFiltered = search.filter !== "" || search.types.length > 0;
  // Searches never exclude gaps, so a filtered list that contains only gaps has no results.
  const isEmpty = isFiltered ? entries.every(isGap) : entries.length === 0;
  const isDown = useLiveState().health?.state === "down";
  useReloadAfterOutage(isDown, reader, older);
  const isLoading = older === "loading" || older === "more";
  return (
    <>
      {controls !== null &&
        (at === undefined || paused) &&
        createPortal(
          <EventPauseButton paused={paused} onPause={() => reader.pause()} onResume={resume} small={false} />,
          controls,
        )}
      <NewerEventsStatus reading={reading} reader={reader} at={at} onNow={resume} />
      <EventStream
        entries={entries}
        skippedBefore={events.skippedBefore}
        follows={newer === "live"}
        isLoading={isLoading}
        foldsRenewals={!search.types.includes("renewed")}
        onTop={onTop}
        onReading={onReading}
        waiting={waiting}
        onShowWaiting={resume}
        onJump={onJump}
        onReplay={onReplay}
        onOlder={older === "more" ? () => reader.loadOlder() : undefined}
        onNewer={newer === "more" ? () => reader.loadNewer() : undefined}
        isOlderComing={isLoading}
        handle={list}
        end={isDown ? null : <OlderEventsStatus reading={reading} reader={reader} />}
      >
        {isEmpty && !isLoading && older !== "failed" && (
          <NoEvents filtered={isFiltered} at={at} onClear={onClear} />
        )}
      </EventStream>
    </>
  );
}

/**
 * Retries a failed read of the history once the target is reachable again. While the target is down, the status banner
 * shows the reason.
 */
function useReloadAfterOutage(isDown: boolean, reader: EventReader, older: EventWindow["older"]): void {
  const wasDown = useRef(isDown);
  useEffect(() => {
    const isBack = wasDown.current && !isDown;
    wasDown.current = isDown;
    if (isBack && older === "failed") reader.loadOlder();
  }, [isDown, reader, older]);
}

/** Returns whether the key was pressed on a button or link, which handles the key itself. */
function isButtonPressed({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest("button, a") !== null;
}

interface EventsStatusProps {
  reading: EventWindow;
  reader: EventReader;
}

function NewerEventsStatus({
  reading: { newer },
  reader,
  at,
  onNow,
}: EventsStatusProps & { at: number | undefined; onNow(): void }) {
  const { list: messages } = useMessages(eventsPage);
  if (newer === "live") return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-ink-2">
      <span>{at === undefined ? messages.newerUnloaded : messages.pastUntil(formatShortTime(at))}</span>
      {newer === "failed" && (
        <span role="alert" className="text-bad">
          {messages.failed}
        </span>
      )}
      <Button
        size="small"
        onClick={() => reader.loadNewer()}
        blocked={newer === "loading" ? messages.loadingOlder : null}
      >
        {newer === "loading" ? messages.loading : newer === "failed" ? messages.again : messages.newer}
      </Button>
      {at === undefined && (
        <Button size="small" onClick={onNow}>
          {messages.backToNow}
        </Button>
      )}
    </div>
  );
}

function OlderEventsStatus({ reading: { older }, reader }: EventsStatusProps) {
  const { list: messages } = useMessages(eventsPage);
  return (
    <div className="flex min-h-11 items-center gap-3 px-4 py-2 text-ink-3" aria-live="polite">
      {older === "failed" && <span className="text-bad">{messages.failed}</span>}
      {older === "loading" && <span>{messages.loading}</span>}
      {(older === "more" || older === "failed") && (
        <Button onClick={() => reader.loadOlder()}>
          {older === "failed" ? messages.again : messages.older}
        </Button>
      )}
      {older === "begins" && <span>{messages.historyStart}</span>}
      {older === "not_kept" && <span>{messages.notKept}</span>}
    </div>
  );
}

function NoEvents({ filtered, at, onClear }: { filtered: boolean; at: number | undefined; onClear(): void }) {
  const { empty } = useMessages(eventsPage);
  if (filtered) {
    return (
      <EmptyState title={empty.filtered}>
        <p>{empty.filteredText}</p>
        <div>
          <Button onClick={onClear}>{empty.showAll}</Button>
        </div>
      </EmptyState>
    );
  }
  return at === undefined ? (
    <EmptyState title={empty.live}>
      <p>{empty.liveText}</p>
    </EmptyState>
  ) : (
    <EmptyState title={empty.before}>
      <p>{empty.beforeText}</p>
    </EmptyState>
  );
}
