"use client";

import { useMemo, useState } from "react";
import { endOfSecond } from "@/components/ui/moment.ts";
import type { EventType, HistoryEntry } from "@/lib/contract/event.ts";
import { eventWords } from "@/lib/contract/event-filter.ts";
import type { PastView } from "@/lib/live/api.ts";
import type { EventSnapshot } from "@/lib/live/event-log.ts";
import { useEvents, useLive } from "@/lib/live/hooks.ts";
import { type IsOlder, useIsOlder, usePast } from "@/lib/live/pictures.ts";
import { mergeEvents } from "./merge-events.ts";

interface Wanted {
  readonly filter: string;
  readonly types: readonly EventType[];
  /** A moment: what came until then, and nothing live. */
  readonly at: number | undefined;
}

export interface AllEvents extends Pick<EventSnapshot, "paused" | "missed" | "skippedBefore"> {
  /** Newest first. */
  readonly shown: readonly HistoryEntry[];
  /** Whether others are left out. */
  readonly isFiltered: boolean;
  /** Loads older ones; undefined when there are none, or it is not known yet. */
  readonly older: (() => void) | undefined;
  readonly loading: boolean;
  readonly failed: boolean;
  /** Whether the oldest one shown is the first that ever was; undefined: older ones may be kept. */
  readonly complete: boolean | undefined;
}

/** What comes, and what was before it as far as it is asked for. */
export function useAllEvents({ filter, types, at }: Wanted): AllEvents {
  const { events, ...live } = useEvents("all");
  const [olderThan, setOlderThan] = useState<string>();
  const before = at === undefined ? olderThan : "";
  const view = { text: filter, types, to: at === undefined ? undefined : endOfSecond(at) };
  const past = usePast(view, before);
  const isOlder = useOlderThan(events, view, before === undefined);
  const loaded = past.data?.pages;
  const shown = useMemo(() => {
    const items = loaded?.flatMap((page) => page.items) ?? [];
    return at === undefined ? mergeEvents(items, events.filter(wantedBy(filter, types))) : items;
  }, [loaded, events, filter, types, at]);
  const begin = () => setOlderThan(events.find(isKept)?.id ?? "");
  const next = past.isError ? () => void past.refetch() : () => void past.fetchNextPage();
  const hasOlder = past.isError || loaded === undefined || past.hasNextPage;
  const first = isOlder === "some" ? begin : undefined;
  const last = loaded?.at(-1);
  return {
    ...live,
    shown,
    isFiltered: filter !== "" || types.length > 0 || at !== undefined,
    older: before === undefined ? first : hasOlder ? next : undefined,
    loading: before !== undefined && past.isFetching,
    failed: past.isError,
    complete: before === undefined ? wasFirst(isOlder) : last?.complete,
  };
}

/** Whether there is more than what the stream began with. It is asked once: what comes later is newer. */
function useOlderThan(events: readonly HistoryEntry[], view: PastView, isWanted: boolean): IsOlder {
  const { hello } = useLive();
  const oldest = events.find(isKept)?.id;
  const [first, setFirst] = useState<string>();
  if (first === undefined && oldest !== undefined) setFirst(oldest);
  const isOlder = useIsOlder(view, isWanted && hello !== null ? (first ?? "") : undefined);
  // The stream keeps so many; the first ones have made room by now.
  return first !== oldest ? "some" : isOlder;
}

function wasFirst(isOlder: IsOlder): boolean | undefined {
  return isOlder === "never_was" ? true : isOlder === "not_kept" ? false : undefined;
}

function wantedBy(filter: string, types: readonly EventType[]): (entry: HistoryEntry) => boolean {
  const hasWords = eventWords(filter);
  return (entry) =>
    entry.type === "gap" || ((types.length === 0 || types.includes(entry.type)) && hasWords(entry));
}

/** What is only live has an id of its own kind. */
function isKept({ id }: HistoryEntry): boolean {
  return !id.startsWith("live-");
}
