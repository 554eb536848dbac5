"use client";

import { useEffect, useMemo, useSyncExternalStore } from "react";
import { toEndOfSecond } from "@/components/ui/local-date-time.ts";
import { getTargetHistory } from "@/lib/api/endpoints.ts";
import type { EventType, HistoryEntry } from "@/lib/contract/event.ts";
import { EventReader, type EventWindow } from "@/lib/live/event-reader.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { createEventTextMatcher } from "@/lib/query/event-matcher.ts";
import { findLockOnlyTerm } from "@/lib/query/event-terms.ts";

export interface EventSearch {
  readonly filter: string;
  /** The event types to show; empty for all types. */
  readonly types: readonly EventType[];
}

/** Number of events per page. Larger pages would delay scrolling. */
const PAGE_SIZE = 200;

/**
 * Reads live events and the history before them. If `at` (Unix milliseconds) is set, reads the events before and after
 * that time instead.
 */
export function useEventReader(search: EventSearch, at: number | undefined): [EventWindow, EventReader] {
  const { filter } = search;
  const store = useLiveStore();
  const types = search.types.join(",");
  const reader = useMemo(() => {
    const names = types === "" ? [] : types.split(",");
    const view = { text: filter, types: names };
    const to = at === undefined ? undefined : toEndOfSecond(at);
    // The server refuses terms that apply only to locks. The list stays empty, and the search box shows the reason.
    const isRefused = findLockOnlyTerm(filter) !== undefined;
    const none = { items: [], complete: true };
    return new EventReader({
      log: store.events,
      matches: isRefused ? () => false : createEventMatcher(filter, names),
      from: at === undefined ? "now" : "then",
      pages: {
        before: async (cursor) =>
          isRefused
            ? none
            : getTargetHistory(
                { ...view, to },
                { order: "newest_first", cursor, limit: PAGE_SIZE },
                store.target,
              ),
        after: async (cursor) =>
          isRefused
            ? none
            : getTargetHistory(
                { ...view, from: to === undefined ? undefined : to + 1 },
                { order: "oldest_first", cursor, limit: PAGE_SIZE },
                store.target,
              ),
      },
    });
  }, [store, filter, types, at]);
  useEffect(() => store.subscribeEvents(), [store]);
  useEffect(() => {
    reader.start();
    return () => reader.stop();
  }, [reader]);
  return [useSyncExternalStore(reader.subscribe, reader.snapshot, () => EMPTY_READING), reader];
}

const EMPTY_READING: EventWindow = { entries: [], newer: "live", older: "more", waiting: 0, paused: false };

function createEventMatcher(filter: string, types: readonly string[]): (entry: HistoryEntry) => boolean {
  const matchesText = createEventTextMatcher(filter);
  return (entry) =>
    entry.type === "gap" || ((types.length === 0 || types.includes(entry.type)) && matchesText(entry));
}
