"use client";

import { keepPreviousData } from "@tanstack/react-query";
import type { SeriesRange, Stats } from "@/lib/contract/stats.ts";
import { type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useTargetQuery } from "./target-query.ts";
import { useTargetName } from "./targets.ts";

const REFETCH_MS = 10_000;
/** Reads the statistics of the page's target: totals, a time series and the top key patterns. */
export function useStats(range: SeriesRange) {
  const target = useTargetName();
  return useTargetQuery<Stats, RequestError>({
    queryKey: ["stats", target, range],
    queryFn: () =>
      requestJson(sendRequest("GET", withTarget("/stats", target, { range, limit: "0" })), (wire, json) =>
        wire.readStats(json),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
}
