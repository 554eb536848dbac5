import type { HistoryEntry } from "@/lib/contract/event.ts";

/**
 * The severity of an event. `bad`: a hold was force-released, evicted, or recreated after a force-release. `warn`: a
 * hold expired, a holder refused a release request, or there is a gap.
 */
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
  ["release_request_refused", "warn"],
  ["gap", "warn"],
]);

export function getEventTone(type: HistoryEntry["type"]): EventTone {
  return TONES.get(type) ?? "plain";
}
