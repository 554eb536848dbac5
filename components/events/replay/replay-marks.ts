import type { HistoryEntry } from "@/lib/contract/event.ts";

/**
 * The types of marks on the track, which show how holds ended. Evictions and recreated holds get the mark of a
 * force-release.
 */
export const REPLAY_MARKS = ["released", "expired", "force_released"] as const;
export type ReplayMark = (typeof REPLAY_MARKS)[number];

export const MARK_CLASSES: Readonly<Record<ReplayMark, string>> = {
  released: "fill-ok",
  expired: "fill-warn",
  force_released: "fill-bad",
};

const MARKS: ReadonlyMap<HistoryEntry["type"], ReplayMark> = new Map([
  ["released", "released"],
  ["expired", "expired"],
  ["force_released", "force_released"],
  ["evicted", "force_released"],
  ["recreated", "force_released"],
]);

export function getReplayMark(type: HistoryEntry["type"]): ReplayMark | undefined {
  return MARKS.get(type);
}
