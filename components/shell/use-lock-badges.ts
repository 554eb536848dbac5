"use client";

import { useCounts, useLiveState } from "@/lib/live/hooks.ts";
import { isTargetNeverReached } from "../app/connection.ts";

interface LockBadges {
  readonly held: number | undefined;
  readonly needsAttention: number | undefined;
}

/** Counts of the navigation, of the same moment as all other counts of the page. undefined: not known yet. */
export function useLockBadges(): LockBadges {
  const isUnreached = isTargetNeverReached(useLiveState());
  const counts = useCounts();
  if (isUnreached) return { held: undefined, needsAttention: undefined };
  return { held: counts?.held, needsAttention: counts?.needsAttention };
}
