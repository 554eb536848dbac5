"use client";

import { useEffect, useMemo } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { HistoryEntry, LockEvent, PastHold } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { useEvents } from "@/lib/live/hooks.ts";
import { useHistory } from "@/lib/queries/lock-history.ts";
import { isHoldEnd, mergeEvents, selectEventsUntil } from "./merge-events.ts";

export interface KeyEvents {
  /** Newest first. */
  events: readonly HistoryEntry[];
  /** false: older ones are not kept, or not loaded yet. */
  complete: boolean;
  loading: boolean;
  failed: boolean;
  /** Loads older ones; undefined when there are none. */
  loadOlder: (() => void) | undefined;
  loadingOlder: boolean;
  /** How the last hold ended, when nothing began after it. */
  ending: LockEvent | undefined;
}

export interface PastKeyEvents extends KeyEvents {
  /** The time that was asked for, Unix milliseconds. */
  readonly at: number;
  /** Who held the lock then; undefined: not known yet. */
  readonly holds: readonly PastHold[] | undefined;
  /** Nobody watched the target at that time. */
  readonly isUnwatched: boolean;
}

/** What was recorded of a key up to a time in the past, and who held it then. */
export function usePastKeyEvents(path: string, at: number): PastKeyEvents {
  const history = useHistory(path, at);
  const pages = history.data?.pages;
  const entries = useMemo(() => pages?.flatMap(({ items }) => items) ?? [], [pages]);
  const events = useMemo(() => selectEventsUntil(entries, at), [entries, at]);
  // Of a busy lock a whole page may be later.
  const isLater = events.length === 0 && history.hasNextPage && !history.isFetching;
  const { fetchNextPage } = history;
  useEffect(() => {
    if (isLater) void fetchNextPage();
  }, [isLater, fetchNextPage]);
  const isUnwatched = entries.some((entry) => isGap(entry) && entry.from <= at && at < entry.to);
  return { ...toKeyEvents(history, events), at, holds: pages?.[0]?.holds, isUnwatched };
}

/** What is recorded of a key, and what came since. */
export function useKeyEvents(path: string): KeyEvents {
  const history = useHistory(path);
  const { events: live } = useEvents();
  const events = useMemo(
    () =>
      mergeEvents(
        history.data?.pages.flatMap(({ items }) => items) ?? [],
        live.filter((entry) => isGap(entry) || toLockPath(entry) === path),
      ),
    [history.data, live, path],
  );
  return toKeyEvents(history, events);
}

function toKeyEvents(history: ReturnType<typeof useHistory>, events: readonly HistoryEntry[]): KeyEvents {
  const last = events.find((entry) => !isGap(entry));
  return {
    events,
    complete: history.data?.pages.at(-1)?.complete ?? true,
    loading: history.isPending,
    failed: history.isError,
    loadOlder: history.hasNextPage ? () => void history.fetchNextPage() : undefined,
    loadingOlder: history.isFetchingNextPage,
    ending: last !== undefined && !isGap(last) && isHoldEnd(last) ? last : undefined,
  };
}
