"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { useLiveState } from "@/lib/live/hooks.ts";
import { isTargetNeverReached } from "./connection.ts";

/** Desaturates its children while the data might be stale. */
export function StaleOverlay({ children, className }: { children: ReactNode; className?: string }) {
  const live = useLiveState();
  // A target that was never reached has no data that could be stale.
  const wrong = live.connection === "stale" || (live.health?.state === "down" && !isTargetNeverReached(live));
  return (
    <div data-stale={wrong || undefined} className={clsx(className, wrong && "grayed")}>
      {children}
    </div>
  );
}
