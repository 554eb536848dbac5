import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { isSameHolder } from "./holder-identity.ts";

/** Redis's expiry and our reading of its clock may differ by this much. */
export const CLOCK_TOLERANCE_MS = 5;
/** The cadence is the middle of so many intervals: one that went wrong is outweighed. */
const INTERVALS_MAX = 5;

/** What looking at one hold has shown of its lease, and of how it was prolonged. */
export interface RenewalHistory {
  /** Since when this hold is looked at, Redis's clock. */
  readonly sinceMs: number;
  readonly count: number;
  readonly lastAt: number | null;
  /** The last times from one renewal to the next, or from the beginning to the first, oldest first. */
  readonly intervalsMs: readonly number[];
  /** From one renewal to the next, as seen: the middle of the last intervals, and the longer one of two. */
  readonly renewalIntervalMs: number | undefined;
  /** From when the next interval is counted; null: we do not know that moment. */
  readonly countedFrom: number | null;
  /** As asked for, or the longest that was seen; null: no expiry. */
  readonly leaseMs: number | null;
  /** When the present lease was given, as far as its length is known. */
  readonly leaseBeganAt: number | null;
}

const NO_INTERVALS: readonly number[] = [];

/** @param begunAt when the hold began, where that is known to the moment */
export function startRenewalHistory(seen: HeldObservation, begunAt: number | null): RenewalHistory {
  return {
    sinceMs: seen.asOf,
    count: 0,
    lastAt: null,
    intervalsMs: NO_INTERVALS,
    renewalIntervalMs: undefined,
    countedFrom: begunAt,
    leaseMs: getLeaseMs(seen, seen.remainingMs),
    leaseBeganAt: computeLeaseStart(seen, seen.remainingMs),
  };
}

interface ReadingGap {
  /** Something may have happened since the look before that we did not hear of. */
  readonly isBroken: boolean;
  /** An operator gave it more time. */
  readonly isExtended: boolean;
}

export function updateRenewalHistory(
  before: { readonly seen: HeldObservation; readonly renewals: RenewalHistory },
  seen: HeldObservation,
  longestMs: number | null,
  { isBroken, isExtended }: ReadingGap,
): RenewalHistory {
  const { renewals } = before;
  const leaseMs = getLeaseMs(seen, longestMs);
  const began = computeLeaseStart(seen, longestMs);
  const countedFrom = isBroken ? null : renewals.countedFrom;
  if (isExtended || !isProlonged(before.seen, seen)) {
    const { leaseMs: known, leaseBeganAt: knownFrom } = renewals;
    const isAsKnown = !isBroken && isNear(known, leaseMs) && isNear(knownFrom, began);
    // Nearly all looks show nothing new: what is kept for long is not made anew for them.
    return isAsKnown ? renewals : { ...renewals, leaseMs, leaseBeganAt: began, countedFrom };
  }
  const lastAt = Math.min(seen.asOf, Math.max(before.seen.asOf, began ?? seen.asOf));
  const interval = countedFrom === null || lastAt <= countedFrom ? NO_INTERVALS : [lastAt - countedFrom];
  const intervalsMs = [...renewals.intervalsMs, ...interval].slice(-INTERVALS_MAX);
  return {
    sinceMs: renewals.sinceMs,
    count: renewals.count + 1,
    lastAt,
    intervalsMs,
    renewalIntervalMs: intervalsMs.toSorted((a, b) => a - b)[Math.floor(intervalsMs.length / 2)],
    countedFrom: lastAt,
    leaseMs,
    leaseBeganAt: began,
  };
}

function isNear(a: number | null, b: number | null): boolean {
  return a === b || (a !== null && b !== null && Math.abs(a - b) <= CLOCK_TOLERANCE_MS);
}

function getLeaseMs({ remainingMs, holders: [first] }: HeldObservation, longestMs: number | null) {
  return remainingMs === null ? null : (first.leaseMs ?? longestMs);
}

function computeLeaseStart(
  { asOf, remainingMs, holders: [first] }: HeldObservation,
  longestMs: number | null,
): number | null {
  if (remainingMs === null) return null;
  const wholeMs = first.leaseMs === null ? (longestMs ?? remainingMs) : first.leaseMs + first.marginMs;
  return asOf + remainingMs - wholeMs;
}

/** Whether one who stayed has more time than before. A re-entry prolongs as well, and tells of no timer. */
function isProlonged(before: HeldObservation, seen: HeldObservation): boolean {
  let isOfAll = true;
  for (const is of seen.holders) {
    const was = before.holders.find((each) => isSameHolder(each, is));
    const hasStayed = was !== undefined && is.count <= was.count;
    if (hasStayed && isLater(getOwnEndsAtMs(before, was), getOwnEndsAtMs(seen, is))) return true;
    // The lock's own end says something only where nobody came and nobody entered once more.
    if (!hasStayed || is.ownRemainingMs !== undefined) isOfAll = false;
  }
  return (
    isOfAll && isLater(computeEndsAtMs(before, before.remainingMs), computeEndsAtMs(seen, seen.remainingMs))
  );
}

function getOwnEndsAtMs(seen: HeldObservation, { ownRemainingMs }: SeenHolder): number | undefined {
  return computeEndsAtMs(seen, ownRemainingMs);
}

function computeEndsAtMs(
  { asOf }: HeldObservation,
  remainingMs: number | null | undefined,
): number | undefined {
  return typeof remainingMs === "number" ? asOf + remainingMs : undefined;
}

function isLater(then: number | undefined, now: number | undefined): boolean {
  return then !== undefined && now !== undefined && now - then > CLOCK_TOLERANCE_MS;
}
