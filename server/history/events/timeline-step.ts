import { END_EVENT_TYPES, type LockEvent } from "../../../lib/contract/event.ts";

/**
 * Maximum difference in ms between the times at which two instances observe the same change if at least one of them
 * infers it. Instances read a key at different times.
 */
export const SAME_CHANGE_MS = 2000;

/**
 * How an event changes a hold. `grown` and `shrunk` change the count. `extended` changes neither the count nor the
 * holder: an operator's extension, a release request, or the response to a release request. Renewals by holders are not
 * stored in the history.
 */
export type TimelineStep = "begun" | "grown" | "shrunk" | "extended" | "ended";

export function classifyStep({ type, count = 0 }: Pick<LockEvent, "type" | "count">): TimelineStep {
  if (type === "reentered") return "grown";
  if (type === "renewed" || type.startsWith("release_request")) return "extended";
  if (type === "released" && count > 0) return "shrunk";
  return END_EVENT_TYPES.has(type) ? "ended" : "begun";
}
