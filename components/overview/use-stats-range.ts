"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { SeriesRange } from "@/lib/contract/stats.ts";

/** The contract's, written again without zod. The types hold them together. */
export const STATS_RANGES = ["hour", "day"] as const satisfies readonly SeriesRange[];

/** Over which time the lines go: in the URL, so that a link shows what its sender saw. */
export function useStatsRange() {
  return useQueryState("range", parseAsStringLiteral(STATS_RANGES).withDefault("hour"));
}
