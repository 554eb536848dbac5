"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { SeriesRange } from "@/lib/contract/stats.ts";

/** The contract's, written again without zod. The types hold them together. */
export const RANGES = ["hour", "day"] as const satisfies readonly SeriesRange[];

/** Over which time the lines go: in the URL, so that a link shows what its sender saw. */
export function useRange() {
  return useQueryState("range", parseAsStringLiteral(RANGES).withDefault("hour"));
}
