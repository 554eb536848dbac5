"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { useLiveState } from "@/lib/live/hooks.ts";
import { isTargetNeverReached } from "./connection.ts";

/** Loses its colours while what it shows may be wrong. */
export function StaleOverlay({ children, className }: { children: ReactNode; className?: string }) {
  const live = useLiveState();
  // Of a target that was never reached nothing is shown that could be wrong.
  const wrong = live.connection === "stale" || (live.health?.state === "down" && !isTargetNeverReached(live));
  return (
    <div data-stale={wrong || undefined} className={clsx(className, wrong && "greyed")}>
      {children}
    </div>
  );
}
