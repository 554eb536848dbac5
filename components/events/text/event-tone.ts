import type { HistoryEntry } from "@/lib/contract/event.ts";

/** bad: somebody lost a lock. warn: a holder that did not release, or a time without observation. */
export type EventTone = "bad" | "warn" | "plain";

export const TONE_CLASSES: Readonly<Record<EventTone, string>> = {
  bad: "text-bad",
  warn: "text-warn",
  plain: "text-ink",
};

const TONES: ReadonlyMap<HistoryEntry["type"], EventTone> = new Map([
  ["force_released", "bad"],
  ["evicted", "bad"],
  ["recreated", "bad"],
  ["expired", "warn"],
  ["gap", "warn"],
]);

export function getEventTone(type: HistoryEntry["type"]): EventTone {
  return TONES.get(type) ?? "plain";
}
