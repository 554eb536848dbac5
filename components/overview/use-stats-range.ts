"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { SeriesRange } from "@/lib/contract/stats.ts";

/**
 * The ranges of the sparklines. Duplicated from the contract, because importing the contract would bundle zod. The type
 * checker rejects values that the contract does not have.
 */
export const STATS_RANGES = ["hour", "day"] as const satisfies readonly SeriesRange[];

/** Keeps the range of the sparklines in the URL. A link to the page therefore shows the same range. */
export function useStatsRange() {
  return useQueryState("range", parseAsStringLiteral(STATS_RANGES).withDefault("hour"));
}
