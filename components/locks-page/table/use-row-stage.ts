"use client";

import { useEffect, useState } from "react";
import type { RowPacer, RowStage } from "./row-pacer.ts";

/**
 * Returns what a row currently shows, and schedules its next stage.
 *
 * @param isInUse whether the row is active, has been pointed at or focused, or shows how its hold ended; if so, the row
 * is complete immediately
 */
export function useRowStage(pacer: RowPacer, isInUse: boolean): RowStage {
  const [stage, setStage] = useState<RowStage>(() => pacer.admit());
  const isWaiting = stage !== "complete" && !isInUse;
  useEffect(() => {
    if (isWaiting) return pacer.wait({ stage, setStage });
    return undefined;
  }, [pacer, stage, isWaiting]);
  return isInUse ? "complete" : stage;
}
