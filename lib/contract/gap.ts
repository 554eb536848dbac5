import type { GapEvent, HistoryEntry } from "./event.ts";

/** Kept apart from the schemas, which pages load lazily. */
export function isGap(entry: HistoryEntry): entry is GapEvent {
  return entry.type === "gap";
}
