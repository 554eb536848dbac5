"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { SeriesRange, Stats } from "@/lib/contract/stats.ts";
import { ask, at, type Failure, send } from "../api/request.ts";
import { useLive } from "../live/hooks.ts";
import { useTargetName } from "./targets.ts";

const EVERY_MS = 10_000;
/** Totals, a series and what stands out, of the target that the page is about. */
export function useStats(range: SeriesRange) {
  const target = useTargetName();
  const { connection } = useLive();
  return useQuery<Stats, Failure>({
    queryKey: ["stats", target, range],
    queryFn: () =>
      ask(send("GET", at("/stats", target, { range, limit: "0" })), (wire, json) => wire.readStats(json)),
    enabled: connection !== "logged_out",
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
}
