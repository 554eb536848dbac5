"use client";

import { skipToken, useInfiniteQuery } from "@tanstack/react-query";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { getHistory } from "../api/endpoints.ts";
import type { TargetName } from "../api/request.ts";

/**
 * Returns the query key of a lock's history. After a reconnect, `lib/live/live-cache.ts` invalidates all query keys
 * that start with `history`.
 */
const getHistoryQueryKey = (target: TargetName, path: string | undefined, at: number | undefined) =>
  ["history", target, path, at] as const;

/** Maximum delay between an event and its recording, in ms. Only an overloaded home store exceeds this delay. */
const RECORDING_DELAY_MAX_MS = 5000;

/**
 * Reads the events of a lock page by page, newest first.
 *
 * @param path the key as a path segment; `undefined` to read nothing
 * @param at time in Unix milliseconds; if set, reads the holds at this time, and the events that were recorded up to 5
 * s after this time
 */
export function useHistory(path: string | undefined, at?: number) {
  const { target } = useLiveStore();
  return useInfiniteQuery({
    queryKey: getHistoryQueryKey(target, path, at),
    queryFn:
      path === undefined
        ? skipToken
        : async ({ pageParam, signal }) => {
            const page = await getHistory(path, target, pageParam, at);
            // Because the function reads the signal, the query is cancelled when the last component that uses it
            // unmounts. Otherwise, a component that mounts during the request would get its outdated response.
            signal.throwIfAborted();
            return page;
          },
    // The id of an event starts with the time of its recording. A cursor need not be an existing id.
    initialPageParam: at === undefined ? undefined : `${at + RECORDING_DELAY_MAX_MS}-0`,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    // While no component uses the current history, the stream sends no events of the lock, and it does not send them
    // later. The current history is therefore not cached, and the next component fetches it again.
    gcTime: at === undefined ? 0 : undefined,
    refetchOnWindowFocus: false,
  });
}
