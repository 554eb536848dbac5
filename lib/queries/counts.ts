"use client";

import { useQueries } from "@tanstack/react-query";
import { requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useCounts, useFilterCountSubscription } from "../live/hooks.ts";
import { useLockWindow } from "../live/live-cache.ts";
import { useLiveStore } from "../live/live-context.ts";
import { useIsTargetReadable } from "./target-query.ts";
import { useTargetName } from "./targets.ts";

/**
 * Interval of refetches, in ms. A refetch costs little, because the server caches each count and keeps it up to date.
 */
const REFETCH_MS = 15_000;

/**
 * Returns the number of locks that match each filter, in the same order as `filters`. A number is `undefined` until it
 * is known. The stream sends these numbers together with all other counts on the page. A tab that polls fetches them
 * separately.
 */
export function useLockCounts(filters: readonly string[]): readonly (number | undefined)[] {
  useFilterCountSubscription(filters);
  const streamed = useCounts()?.filters;
  const polled = usePolledCounts(filters);
  return filters.map((filter, at) => streamed?.get(filter) ?? polled[at]);
}

function usePolledCounts(filters: readonly string[]): readonly (number | undefined)[] {
  const target = useTargetName();
  const isReadable = useIsTargetReadable();
  const { hasFilterCounts } = useLiveStore();
  return useQueries({
    queries: filters.map((filter) => ({
      queryKey: ["count", target, filter],
      queryFn: () =>
        requestJson<number>(
          sendRequest("GET", withTarget("/locks", target, { filter, limit: "1" })),
          (wire, json) => wire.readLocks(json).total,
        ),
      enabled: isReadable && !hasFilterCounts,
      refetchInterval: REFETCH_MS,
      retry: false,
    })),
    combine: (results) => results.map(({ data }) => data),
  });
}

export interface ListCounts {
  /** Number of locks that match the filter. */
  readonly total: number;
  readonly held: number;
}

/**
 * Returns the counts for a list of locks, from the same snapshot as all other counts on the page. A count that is not
 * in the snapshot is taken from the window. Returns `undefined` until both the total and the held count are known.
 */
export function useListCounts(filter: string): ListCounts | undefined {
  useFilterCountSubscription([filter]);
  const counts = useCounts();
  const window = useLockWindow();
  const own = window?.filter === filter ? window : undefined;
  const total = counts?.filters.get(filter) ?? own?.total;
  const held = counts?.held ?? own?.held;
  return total === undefined || held === undefined ? undefined : { total, held };
}
