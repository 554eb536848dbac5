"use client";

import { useEffect, useMemo, useSyncExternalStore } from "react";
import { endOfSecond } from "@/components/ui/local-date-time.ts";
import { getPast } from "@/lib/api/endpoints.ts";
import type { EventType, HistoryEntry } from "@/lib/contract/event.ts";
import { EventReader, type Reading } from "@/lib/live/event-reader.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { eventWords } from "@/lib/query/event-matcher.ts";
import { wordOfNoEvent } from "@/lib/query/event-terms.ts";

export interface EventSearch {
  readonly filter: string;
  /** None: all. */
  readonly types: readonly EventType[];
}

/** A page is read in one go: a longer one would hold up the scrolling. */
const PAGE = 200;

/** What comes, and what was before; or, with a moment, what came until then and what followed. */
export function useEventReader(search: EventSearch, at: number | undefined): [Reading, EventReader] {
  const { filter } = search;
  const store = useLiveStore();
  const types = search.types.join(",");
  const reader = useMemo(() => {
    const names = types === "" ? [] : types.split(",");
    const view = { text: filter, types: names };
    const to = at === undefined ? undefined : endOfSecond(at);
    // The server would refuse it: its box says why, and nothing is found.
    const isRefused = wordOfNoEvent(filter) !== undefined;
    const none = { items: [], complete: true };
    return new EventReader({
      log: store.events,
      wants: isRefused ? () => false : wantedBy(filter, names),
      from: at === undefined ? "now" : "then",
      pages: {
        before: async (cursor) =>
          isRefused
            ? none
            : getPast({ ...view, to }, { order: "newest_first", cursor, limit: PAGE }, store.target),
        after: async (cursor) =>
          isRefused
            ? none
            : getPast(
                { ...view, from: to === undefined ? undefined : to + 1 },
                { order: "oldest_first", cursor, limit: PAGE },
                store.target,
              ),
      },
    });
  }, [store, filter, types, at]);
  useEffect(() => store.showEvents(), [store]);
  useEffect(() => {
    reader.start();
    return () => reader.stop();
  }, [reader]);
  return [useSyncExternalStore(reader.subscribe, reader.snapshot, () => NOTHING), reader];
}

const NOTHING: Reading = { entries: [], newer: "live", older: "more", waiting: 0, paused: false };

function wantedBy(filter: string, types: readonly string[]): (entry: HistoryEntry) => boolean {
  const hasWords = eventWords(filter);
  return (entry) =>
    entry.type === "gap" || ((types.length === 0 || types.includes(entry.type)) && hasWords(entry));
}
