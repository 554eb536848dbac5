"use client";

import { useEffect, useState } from "react";
import type { RowPacer, RowStage } from "./row-pacer.ts";

/**
 * Returns which parts of a row to render.
 *
 * @param isInUse whether the row has the pointer or the focus; it then shows everything immediately
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
