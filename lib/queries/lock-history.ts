"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { getHistory } from "../api/endpoints.ts";
import type { TargetName } from "../api/request.ts";

/** `lib/live/live-cache.ts` has everything under `history` fetched again after a reconnect. */
const getHistoryQueryKey = (target: TargetName, path: string) => ["history", target, path] as const;

/** Page by page, the newest first. */
export function useHistory(path: string) {
  const { target } = useLiveStore();
  return useInfiniteQuery({
    queryKey: getHistoryQueryKey(target, path),
    queryFn: ({ pageParam }) => getHistory(path, target, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
