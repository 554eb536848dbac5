"use client";

import type { LockWaiters } from "@/lib/contract/waiters.ts";
import { type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useLiveStore } from "../live/live-context.ts";
import { useTargetQuery } from "./target-query.ts";

const WAITERS_REFETCH_MS = 2000;

/**
 * Reads the waiters of a lock. Refetches the waiters while the component is mounted, because the stream contains only
 * their number.
 *
 * @param count number of waiters. A change triggers a refetch. No request is sent if the count is 0 or `null`
 */
export function useWaiters(path: string, count?: number | null) {
  const { target } = useLiveStore();
  return useTargetQuery<LockWaiters, RequestError>({
    queryKey: ["waiters", target, path, count],
    queryFn: () =>
      requestJson(sendRequest("GET", withTarget(`/locks/${path}/waiters`, target)), (wire, json) =>
        wire.readWaiters(json),
      ),
    enabled: count === undefined || (count !== null && count > 0),
    // Keeps previous data only for the same lock, because the page of another lock must not show these waiters.
    placeholderData: (before, query) =>
      query?.queryKey[1] === target && query?.queryKey[2] === path ? before : undefined,
    refetchInterval: WAITERS_REFETCH_MS,
    retry: false,
  });
}
