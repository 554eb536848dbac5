"use client";

import { useEffect } from "react";
import { useLiveState } from "@/lib/live/hooks.ts";

/** After the page is live, when it has loaded what is on the screen. */
const DELAY_MS = 5000;

/**
 * Loads a part of the page before it is needed, so that it opens at once and also while the server is unreachable.
 *
 * @param load a function of the module, the same for every render
 */
export function usePreload(load: () => Promise<unknown>): void {
  const isLive = useLiveState().connection === "live";
  useEffect(() => {
    if (!isLive) return;
    const timer = setTimeout(() => void load().catch(() => undefined), DELAY_MS);
    return () => clearTimeout(timer);
  }, [isLive, load]);
}
