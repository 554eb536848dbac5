"use client";

import type { LockWaiters } from "@/lib/contract/waiters.ts";
import { type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useLiveStore } from "../live/live-context.ts";
import { useTargetQuery } from "./target-query.ts";

const WAITERS_REFETCH_MS = 2000;

/**
 * Who waits for a lock, looked at again and again: the stream tells how many they are, not who.
 *
 * @param count how many there are, where that is known: another number is looked at at once, and nobody is asked about
 * a lock that nobody waits for
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
    // Of this lock: a page that goes on to another one is not to show who waited for the first.
    placeholderData: (before, query) =>
      query?.queryKey[1] === target && query?.queryKey[2] === path ? before : undefined,
    refetchInterval: WAITERS_REFETCH_MS,
    retry: false,
  });
}
