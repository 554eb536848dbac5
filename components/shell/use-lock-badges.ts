"use client";

import { useCounts, useLiveState } from "@/lib/live/hooks.ts";
import { isTargetNeverReached } from "../app/connection.ts";

interface LockBadges {
  readonly held: number | undefined;
  readonly needsAttention: number | undefined;
}

/** Reads the counts of the navigation, from the same snapshot as the page. undefined while loading. */
export function useLockBadges(): LockBadges {
  const isUnreached = isTargetNeverReached(useLiveState());
  const counts = useCounts();
  if (isUnreached) return { held: undefined, needsAttention: undefined };
  return { held: counts?.held, needsAttention: counts?.needsAttention };
}
