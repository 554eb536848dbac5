"use client";

import { useEffect, useMemo } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { HistoryEntry, LockEvent, PastHold } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { useEvents } from "@/lib/live/hooks.ts";
import { useHistory } from "@/lib/queries/lock-history.ts";
import { isHoldEnd, mergeEvents, selectEventsUntil } from "./merge-events.ts";

export interface KeyEvents {
  /** The events and gaps of the key, newest first. */
  events: readonly HistoryEntry[];
  /**
   * Whether `events` includes the oldest event of the key; `false` if older events were deleted or are not loaded. Also
   * `true` before the first page is loaded.
   */
  complete: boolean;
  loading: boolean;
  failed: boolean;
  /** Loads older events; `undefined` if there are no more events to load. */
  loadOlder: (() => void) | undefined;
  loadingOlder: boolean;
  /** The latest event if it ended a hold; `undefined` otherwise, for example because a newer hold has started. */
  ending: LockEvent | undefined;
}

export interface PastKeyEvents extends KeyEvents {
  /** The requested time in Unix milliseconds. */
  readonly at: number;
  /** The holders at that time; `undefined` while they load. */
  readonly holds: readonly PastHold[] | undefined;
  /** Whether the requested time is within a gap, in which Lockkeeper did not observe the target. */
  readonly isUnwatched: boolean;
}

/**
 * Reads the events of a key up to a time (Unix milliseconds), and the holders of the lock at that time. Reads nothing
 * and returns `undefined` if the time is `undefined`.
 */
export function usePastKeyEvents(path: string, at: number | undefined): PastKeyEvents | undefined {
  const history = useHistory(at === undefined ? undefined : path, at);
  const pages = history.data?.pages;
  const entries = useMemo(() => pages?.flatMap(({ items }) => items) ?? [], [pages]);
  const events = useMemo(() => (at === undefined ? [] : selectEventsUntil(entries, at)), [entries, at]);
  // All events of a page can be later than the requested time if the lock is busy. In that case, the next page is
  // needed.
  const isLater = events.length === 0 && history.hasNextPage && !history.isFetching;
  const { fetchNextPage } = history;
  useEffect(() => {
    if (isLater) void fetchNextPage();
  }, [isLater, fetchNextPage]);
  if (at === undefined) return undefined;
  const isUnwatched = entries.some((entry) => isGap(entry) && entry.from <= at && at < entry.to);
  return { ...toKeyEvents(history, events), at, holds: pages?.[0]?.holds, isUnwatched };
}

/** Reads the stored events of a key and adds new events as they arrive. */
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
