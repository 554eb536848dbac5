import type { HistoryEntry } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";

/** Each event once, newest first. `history` comes newest first, `live` oldest first. */
export function mergeEvents(history: readonly HistoryEntry[], live: readonly HistoryEntry[]): HistoryEntry[] {
  const known = new Set(history.map(({ id }) => id));
  const fresh = live.filter(({ id }) => !known.has(id)).reverse();
  // Stable: of two events in one millisecond the later one stays in front.
  return [...fresh, ...history].sort((a, b) => b.at - a.at);
}

/** A release that leaves a count behind ends a frame, not the hold. */
export function isHoldEnd(event: HistoryEntry): boolean {
  if (event.type === "released") return (event.count ?? 0) === 0;
  return event.type === "expired" || event.type === "evicted" || event.type === "force_released";
}

/** What had happened by a time in the past. A gap that lasted beyond it is cut there. */
export function selectEventsUntil(entries: readonly HistoryEntry[], at: number): HistoryEntry[] {
  return entries.flatMap((entry): HistoryEntry[] => {
    if (!isGap(entry)) return entry.at <= at ? [entry] : [];
    if (entry.from > at) return [];
    const to = Math.min(entry.to, at);
    return [{ ...entry, to, at: to }];
  });
}
