import type { GapEvent, HistoryEntry } from "./event.ts";

/**
 * Returns whether an entry of the history is a gap. This file must not import zod schemas, because pages load them
 * lazily.
 */
export function isGap(entry: HistoryEntry): entry is GapEvent {
  return entry.type === "gap";
}
