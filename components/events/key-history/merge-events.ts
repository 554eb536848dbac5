import type { HistoryEntry } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";

/** Merges `history` (newest first) and `live` (oldest first) and removes duplicates. The result is newest first. */
export function mergeEvents(history: readonly HistoryEntry[], live: readonly HistoryEntry[]): HistoryEntry[] {
  const known = new Set(history.map(({ id }) => id));
  const fresh = live.filter(({ id }) => !known.has(id)).reverse();
  // The sort is stable, so events of the same millisecond keep their order.
  return [...fresh, ...history].sort((a, b) => b.at - a.at);
}

/** Returns whether an event ends a hold. A release with a `count` above 0 only decrements the re-entrancy count. */
export function isHoldEnd(event: HistoryEntry): boolean {
  if (event.type === "released") return (event.count ?? 0) === 0;
  return event.type === "expired" || event.type === "evicted" || event.type === "force_released";
}

/** Returns the entries up to a time. A gap that contains the time is truncated to end at that time. */
export function selectEventsUntil(entries: readonly HistoryEntry[], at: number): HistoryEntry[] {
  return entries.flatMap((entry): HistoryEntry[] => {
    if (!isGap(entry)) return entry.at <= at ? [entry] : [];
    if (entry.from > at) return [];
    const to = Math.min(entry.to, at);
    return [{ ...entry, to, at: to }];
  });
}
