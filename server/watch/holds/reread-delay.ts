import { findLivenessChangeAt } from "./liveness.ts";
import type { ObservedHold } from "./observed-hold.ts";

/**
 * Returns the delay, in ms since the last read, after which a hold must be read again even without a notification.
 * Returns `undefined` if no such read is needed.
 */
export function computeRereadDelayMs(hold: ObservedHold | undefined): number | undefined {
  if (hold === undefined) return undefined;
  const { seen } = hold;
  // All deadlines of an ended hold have passed.
  if (seen.state === "ended") return undefined;
  let dueMs = takeEarlier(Number.POSITIVE_INFINITY, seen.remainingMs);
  for (const { ownRemainingMs } of seen.holders) dueMs = takeEarlier(dueMs, ownRemainingMs);
  const changesAt = findLivenessChangeAt(hold);
  if (changesAt !== undefined) dueMs = takeEarlier(dueMs, changesAt - seen.asOf);
  return Number.isFinite(dueMs) ? dueMs : undefined;
}

function takeEarlier(dueMs: number, ms: number | null | undefined): number {
  return typeof ms === "number" && ms > 0 && ms < dueMs ? ms : dueMs;
}
