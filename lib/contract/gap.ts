import type { GapEvent, HistoryEntry } from "./event.ts";

/** Returns whether an entry is a gap. This file must not contain schemas, because pages load those lazily. */
export function isGap(entry: HistoryEntry): entry is GapEvent {
  return entry.type === "gap";
}
