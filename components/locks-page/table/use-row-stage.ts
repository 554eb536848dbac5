"use client";

import { useEffect, useState } from "react";
import type { RowPacer, RowStage } from "./row-pacer.ts";

/**
 * Returns what a row currently shows.
 *
 * @param isInUse whether the row has the pointer or the focus, or its hold has ended; if so, the row is complete
 * immediately
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
