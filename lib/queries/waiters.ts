"use client";

import { useQuery } from "@tanstack/react-query";
import type { LockWaiters } from "@/lib/contract/waiters.ts";
import { ask, at, type Failure, send } from "../api/request.ts";
import { useLiveStore } from "../live/live-context.ts";

const WAITERS_EVERY_MS = 2000;

/**
 * Who waits for a lock, looked at again and again: the stream tells how many they are, not who.
 *
 * @param count how many there are, where that is known: another number is looked at at once, and nobody is asked about
 * a lock that nobody waits for
 */
export function useWaiters(path: string, count?: number | null) {
  const { target } = useLiveStore();
  return useQuery<LockWaiters, Failure>({
    queryKey: ["waiters", target, path, count],
    queryFn: () =>
      ask(send("GET", at(`/locks/${path}/waiters`, target)), (wire, json) => wire.readWaiters(json)),
    enabled: count === undefined || (count !== null && count > 0),
    // Of this lock: a page that goes on to another one is not to show who waited for the first.
    placeholderData: (before, query) =>
      query?.queryKey[1] === target && query?.queryKey[2] === path ? before : undefined,
    refetchInterval: WAITERS_EVERY_MS,
    retry: false,
  });
}
