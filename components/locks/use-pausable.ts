"use client";

import { useState } from "react";
import type { LiveWindow } from "@/lib/contract/live.ts";
import { changesBetween } from "./window-of.ts";

export interface Pausable {
  /** What to show: as it is, or as it was when it was paused. */
  window: LiveWindow | undefined;
  paused: boolean;
  /** Rows that look different by now. */
  changes: number;
  toggle(): void;
  resume(): void;
}

/** Rows do not move while they are read. Scrolling shows the rows there as they are, and they stand still then. */
export function usePausable(latest: LiveWindow | undefined): Pausable {
  const [frozen, setFrozen] = useState<LiveWindow | null>(null);
  if (frozen !== null && latest !== undefined && latest.offset !== frozen.offset) setFrozen(latest);
  return {
    window: frozen ?? latest,
    paused: frozen !== null,
    changes: frozen === null || latest === undefined ? 0 : changesBetween(frozen, latest),
    toggle: () => setFrozen((now) => (now === null ? (latest ?? null) : null)),
    resume: () => setFrozen(null),
  };
}
