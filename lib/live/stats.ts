"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { PatternSort, SeriesRange, Stats } from "@/lib/contract/stats.ts";
import { useLive } from "./hooks.ts";
import { ask, at, type Failure, send } from "./request.ts";
import { useTargetName } from "./targets.ts";

const EVERY_MS = 10_000;
/** As many as the server's own lists of what stands out have. */
export const PATTERNS_SHOWN = 5;

/** Totals, a series and what stands out, of the target that the page is about. @param sort of the patterns */
export function useStats(range: SeriesRange, sort: PatternSort) {
  const target = useTargetName();
  const { connection } = useLive();
  return useQuery<Stats, Failure>({
    queryKey: ["stats", target, range, sort],
    queryFn: () =>
      ask(send("GET", at("/stats", target, { range, sort, limit: String(PATTERNS_SHOWN) })), (wire, json) =>
        wire.readStats(json),
      ),
    enabled: connection !== "logged_out",
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
}
