"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { getHistory } from "../api/endpoints.ts";
import type { TargetName } from "../api/request.ts";

/**
 * Returns the query key of a lock's history. After a reconnect, `lib/live/live-cache.ts` invalidates all query keys
 * that start with `history`.
 */
const getHistoryQueryKey = (target: TargetName, path: string, at: number | undefined) =>
  ["history", target, path, at] as const;

/** Maximum delay between an event and its recording, in ms. Only an overloaded home store exceeds this delay. */
const RECORDING_DELAY_MAX_MS = 5000;

/**
 * Reads the events of a lock page by page, newest first.
 *
 * @param at time in Unix milliseconds; if set, reads the holds at this time, and the events that were recorded up to 5
 * s after this time
 */
export function useHistory(path: string, at?: number) {
  const { target } = useLiveStore();
  return useInfiniteQuery({
    queryKey: getHistoryQueryKey(target, path, at),
    queryFn: ({ pageParam }) => getHistory(path, target, pageParam, at),
    // The id of an event starts with the time of its recording. A cursor need not be an existing id.
    initialPageParam: at === undefined ? undefined : `${at + RECORDING_DELAY_MAX_MS}-0`,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
