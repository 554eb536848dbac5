import type { GapEvent, HistoryEntry } from "./event.ts";

/** In a file without schemas, because pages load those lazily. */
export function isGap(entry: HistoryEntry): entry is GapEvent {
  return entry.type === "gap";
}
