"use client";

import type { RawLock } from "@/lib/contract/raw-lock.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { getRawLock } from "../api/endpoints.ts";
import type { RequestError } from "../api/request.ts";
import { useTargetQuery } from "./target-query.ts";

const RAW_REFETCH_MS = 3000;

/** Reads the raw content of a lock's key. Refetches the content while the component is mounted. */
export function useRawLock(path: string) {
  const { target } = useLiveStore();
  return useTargetQuery<RawLock, RequestError>({
    queryKey: ["raw", target, path],
    queryFn: () => getRawLock(path, target),
    refetchInterval: RAW_REFETCH_MS,
    retry: false,
  });
}
