import type { HeldObservation } from "../../formats/observation.ts";
import { CLOCK_TOLERANCE_MS } from "../holds/renewal-history.ts";

/** Maximum difference between the masters' deadlines after one renewal, as a share of the lease. */
const RENEWAL_SPREAD = 0.05;
const RENEWAL_SPREAD_MS_MAX = 500;
/**
 * Returns the observation with the previous start if the fencing token is unchanged, and with the previous deadline if
 * the new deadline is later only because clocks and round trips differ between masters. Without this correction, the
 * hold would appear to be renewed constantly.
 */
export function smoothTimes(seen: HeldObservation, before: HeldObservation | undefined): HeldObservation {
  if (before === undefined) return seen;
  const [first, ...others] = seen.holders;
  const [{ fence, sinceMs }] = before.holders;
  const since = fence !== null && fence === first.fence ? sinceMs : first.sinceMs;
  const holders = [{ ...first, sinceMs: since }, ...others] as const;
  if (before.remainingMs === null || seen.remainingMs === null) return { ...seen, holders };
  const laterMs = seen.asOf + seen.remainingMs - (before.asOf + before.remainingMs);
  const spreadMs = Math.min(RENEWAL_SPREAD_MS_MAX, RENEWAL_SPREAD * (first.leaseMs ?? seen.remainingMs));
  const isSame = laterMs >= 0 && laterMs <= Math.max(CLOCK_TOLERANCE_MS, spreadMs);
  return { ...seen, holders, remainingMs: seen.remainingMs - (isSame ? laterMs : 0) };
}

/** Returns whether the deadline is later than before by more than the clock tolerance. */
export function hasLaterDeadline(
  seen: HeldObservation | undefined,
  before: HeldObservation | undefined,
): boolean {
  if (typeof seen?.remainingMs !== "number" || typeof before?.remainingMs !== "number") return false;
  return seen.asOf + seen.remainingMs - (before.asOf + before.remainingMs) > CLOCK_TOLERANCE_MS;
}
