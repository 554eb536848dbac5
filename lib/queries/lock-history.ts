"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { getHistory } from "../api/endpoints.ts";
import type { TargetName } from "../api/request.ts";

/** `lib/live/live-cache.ts` has everything under `history` fetched again after a reconnect. */
const getHistoryQueryKey = (target: TargetName, path: string, at: number | undefined) =>
  ["history", target, path, at] as const;

/** Events are recorded later than they happen, by up to this much unless the home store is overloaded. */
const RECORDING_DELAY_MAX_MS = 5000;

/**
 * The events of a lock page by page, the newest first.
 *
 * @param at events up to then and the first after it, and the holds of that time; Unix milliseconds
 */
export function useHistory(path: string, at?: number) {
  const { target } = useLiveStore();
  return useInfiniteQuery({
    queryKey: getHistoryQueryKey(target, path, at),
    queryFn: ({ pageParam }) => getHistory(path, target, pageParam, at),
    // An id begins with the time at which its event was recorded, and a cursor need not be the id of one.
    initialPageParam: at === undefined ? undefined : `${at + RECORDING_DELAY_MAX_MS}-0`,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
