"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { useLive } from "@/lib/live/hooks.ts";

/** Loses its colours while what it shows may be wrong. */
export function Greyed({ children, className }: { children: ReactNode; className?: string }) {
  const { connection, health } = useLive();
  const wrong = connection === "stale" || health?.state === "down";
  return (
    <div data-stale={wrong || undefined} className={clsx(className, wrong && "opacity-60 grayscale")}>
      {children}
    </div>
  );
}
