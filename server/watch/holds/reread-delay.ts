import { findLivenessChangeAt } from "./liveness.ts";
import type { ObservedHold } from "./observed-hold.ts";

/**
 * Returns how long after its last read, in ms, a hold must be read again even without a notification. `undefined` if no
 * such read is needed.
 */
export function computeRereadDelayMs(hold: ObservedHold | undefined): number | undefined {
  if (hold === undefined) return undefined;
  const { seen } = hold;
  // An ended hold has no further deadline.
  if (seen.state === "ended") return undefined;
  let dueMs = Number.POSITIVE_INFINITY;
  const consider = (ms: number | null | undefined) => {
    if (typeof ms === "number" && ms > 0 && ms < dueMs) dueMs = ms;
  };
  consider(seen.remainingMs);
  for (const { ownRemainingMs } of seen.holders) consider(ownRemainingMs);
  const changesAt = findLivenessChangeAt(hold);
  if (changesAt !== undefined) consider(changesAt - seen.asOf);
  return Number.isFinite(dueMs) ? dueMs : undefined;
}
