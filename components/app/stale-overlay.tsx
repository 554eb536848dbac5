"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { useLive } from "@/lib/live/hooks.ts";
import { isNeverReached } from "./connection.ts";

/** Loses its colours while what it shows may be wrong. */
export function Greyed({ children, className }: { children: ReactNode; className?: string }) {
  const live = useLive();
  // Of a target that was never reached nothing is shown that could be wrong.
  const wrong = live.connection === "stale" || (live.health?.state === "down" && !isNeverReached(live));
  return (
    <div data-stale={wrong || undefined} className={clsx(className, wrong && "greyed")}>
      {children}
    </div>
  );
}
