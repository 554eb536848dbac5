"use client";

import type { TypicalTimes } from "@/lib/contract/stats.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { getTypicalDurations } from "../api/endpoints.ts";
import type { RequestError } from "../api/request.ts";
import { useTargetQuery } from "./target-query.ts";

const TYPICAL_REFETCH_MS = 30_000;

/** Reads the typical hold and wait times of the key pattern to which the lock belongs; `undefined` until loaded. */
export function useTypicalDurations(path: string): TypicalTimes | undefined {
  const { target } = useLiveStore();
  const { data } = useTargetQuery<TypicalTimes, RequestError>({
    queryKey: ["typical", target, path],
    queryFn: () => getTypicalDurations(path, target),
    refetchInterval: TYPICAL_REFETCH_MS,
  });
  return data;
}
