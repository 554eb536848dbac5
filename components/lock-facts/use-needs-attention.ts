"use client";

import { useCallback, useSyncExternalStore } from "react";
import type { Lock } from "@/lib/contract/lock.ts";
import { parseKeyFields } from "@/lib/keys/key.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { useTypicalHeldTime } from "@/lib/queries/typical-held-times.ts";
import { needsAttention } from "./typical-duration.ts";

/**
 * Returns whether a lock needs attention now. Re-renders the component only when the result changes, not on every clock
 * tick.
 */
export function useNeedsAttention(lock: Lock): boolean {
  const { ticker } = useLiveStore();
  const typical = useTypicalHeldTime(parseKeyFields(lock));
  const read = useCallback(() => needsAttention(lock, typical, ticker.read()), [lock, typical, ticker]);
  return useSyncExternalStore(ticker.subscribe, read, () => false);
}
