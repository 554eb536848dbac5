import type { GapEvent, HistoryEntry } from "./event.ts";

/** Apart from the schemas, which pages load late. */
export function isGap(entry: HistoryEntry): entry is GapEvent {
  return entry.type === "gap";
}
