"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { SeriesRange } from "@/lib/contract/stats.ts";

/**
 * The time ranges of the sparklines. The values are copied from the contract, because importing the contract would
 * bundle zod. The type checker rejects values that are not in the contract.
 */
export const STATS_RANGES = ["hour", "day"] as const satisfies readonly SeriesRange[];

/** Keeps the time range of the sparklines in the URL, so that a link to the page shows the same range. */
export function useStatsRange() {
  return useQueryState("range", parseAsStringLiteral(STATS_RANGES).withDefault("hour"));
}
