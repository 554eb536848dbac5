"use client";

import { useCounts, useLiveState } from "@/lib/live/hooks.ts";
import { isTargetNeverReached } from "../app/connection.ts";

interface LockBadges {
  readonly held: number | undefined;
  readonly needsAttention: number | undefined;
  readonly deadlocks: number | undefined;
}

/**
 * Returns the counts for the navigation: held locks, locks that need attention, and deadlocks. The counts are
 * `undefined` while they load, and if the target has never been reached.
 */
export function useLockBadges(): LockBadges {
  const state = useLiveState();
  const isUnreached = isTargetNeverReached(state);
  const counts = useCounts();
  if (isUnreached) return { held: undefined, needsAttention: undefined, deadlocks: undefined };
  return {
    held: counts?.held,
    needsAttention: counts?.needsAttention,
    deadlocks: state.health?.deadlocks,
  };
}
