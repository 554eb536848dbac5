import { findLivenessChangeAt } from "./liveness.ts";
import type { ObservedHold } from "./observed-hold.ts";

/** In how many ms after its last look a hold is to be looked at again if nothing is heard of it; undefined: never. */
export function computeRereadDelayMs(hold: ObservedHold | undefined): number | undefined {
  if (hold === undefined) return undefined;
  const { seen } = hold;
  // An end that has passed passes no more.
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
