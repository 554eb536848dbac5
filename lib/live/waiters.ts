"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { LockWaiters } from "@/lib/contract/waiters.ts";
import { useLiveStore } from "./live-context.ts";
import { ask, at, type Failure, send } from "./request.ts";

const WAITERS_EVERY_MS = 2000;

/** Who waits for a lock, looked at again and again. The stream tells how many they are, not who. */
export function useWaiters(path: string) {
  const { target } = useLiveStore();
  return useQuery<LockWaiters, Failure>({
    queryKey: ["waiters", target, path],
    queryFn: () =>
      ask(send("GET", at(`/locks/${path}/waiters`, target)), (wire, json) => wire.readWaiters(json)),
    refetchInterval: WAITERS_EVERY_MS,
    retry: false,
  });
}

/** The same while somebody waits. @param count how many there are: another number is looked at at once */
export function useLockWaiters(path: string, count: number | null) {
  const { target } = useLiveStore();
  return useQuery<LockWaiters, Failure>({
    queryKey: ["waiters", target, path, count],
    queryFn: () =>
      ask(send("GET", at(`/locks/${path}/waiters`, target)), (wire, json) => wire.readWaiters(json)),
    enabled: count !== null && count > 0,
    placeholderData: keepPreviousData,
    refetchInterval: WAITERS_EVERY_MS,
    retry: false,
  });
}
