import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { computeGapToleranceMs } from "./gap-continuity.ts";
import { isSameHolder } from "./holder-identity.ts";

/** Redis's expiry and our reading of its clock may differ by this much. */
export const CLOCK_TOLERANCE_MS = 5;
/** So many intervals in a row make a steady interval: at least three renewals. */
const STEADY_INTERVALS = 3;
/** By which share of their median the intervals of a timer may differ from it. */
const STEADY_SPREAD = 0.3;
/**
 * Extensions that follow each other within this share of the lease are one renewal: a client that prolongs several keys
 * after it acquired the last one, or that extends a lock twice, has no timer of that interval.
 */
const SEPARATE_SHARE = 0.01;
const SEPARATE_MS_MIN = 20;
const SEPARATE_MS_MAX = 1000;
/** A lease that grew by more than this factor is renewed on another schedule. */
const LONGER_LEASE_FACTOR = 1.5;

/** What reading one hold again and again has shown of its lease, and of how it was prolonged. */
export interface RenewalHistory {
  /** Since when this hold is watched, Redis's clock. */
  readonly sinceMs: number;
  readonly count: number;
  readonly lastAt: number | null;
  /** The last times from one renewal to the next, or from the beginning to the first, oldest first; at most three. */
  readonly intervalsMs: readonly number[];
  /**
   * The interval of its timer: the median of the last three intervals if none differs from it by more than 30 %.
   * undefined: it renewed less often than three times, or irregularly.
   */
  readonly steadyIntervalMs: number | undefined;
  /** From when the next interval is counted; null: that moment is unknown. */
  readonly countedFrom: number | null;
  /** As asked for, or the longest that was seen; null: no expiry. */
  readonly leaseMs: number | null;
  /** When the present lease was given, as far as its length is known. */
  readonly leaseBeganAt: number | null;
  /** The present deadline is an operator's: `leaseMs` and `leaseBeganAt` are those of the holder before. */
  readonly isExtended?: true;
}

const NO_INTERVALS: readonly number[] = [];

/** @param begunAt when the hold began, where that is known to the moment */
export function startRenewalHistory(seen: HeldObservation, begunAt: number | null): RenewalHistory {
  const { leaseMs, leaseBeganAt } = describeLease(seen, null);
  return {
    sinceMs: seen.asOf,
    count: 0,
    lastAt: null,
    intervalsMs: NO_INTERVALS,
    steadyIntervalMs: undefined,
    countedFrom: begunAt,
    leaseMs,
    leaseBeganAt,
  };
}

interface ReadingGap {
  /** Something may have happened since the reading before that was not reported. */
  readonly isBroken: boolean;
  /** An operator gave it more time. */
  readonly isExtended: boolean;
}

interface WatchedHold {
  readonly seen: HeldObservation;
  readonly renewals: RenewalHistory;
}

export function updateRenewalHistory(
  before: WatchedHold,
  seen: HeldObservation,
  { isBroken, isExtended }: ReadingGap,
): RenewalHistory {
  const { renewals } = before;
  const countedFrom = isBroken ? null : renewals.countedFrom;
  const toleranceMs = isBroken ? computeGapToleranceMs(renewals.leaseMs) : CLOCK_TOLERANCE_MS;
  const renewal = isExtended ? undefined : findRenewal(before, seen, toleranceMs);
  const isOfOperator = isExtended || (renewals.isExtended === true && renewal?.setsDeadline !== true);
  const lease = describeLease(seen, renewals.leaseMs);
  if (renewal === undefined) {
    const isAsKnown = !isBroken && (isOfOperator ? renewals.isExtended : isSameLease(renewals, lease));
    // Nearly all readings show nothing new: what is kept for long is not made anew for them.
    if (isAsKnown) return renewals;
    return { ...renewals, countedFrom, ...(isOfOperator ? { isExtended: true } : lease) };
  }
  return withRenewal({ ...renewals, countedFrom }, renewal.at, isOfOperator ? undefined : lease);
}

/** @param lease undefined: as before, because the deadline is an operator's */
function withRenewal(before: RenewalHistory, lastAt: number, lease: Lease | undefined): RenewalHistory {
  const { sinceMs, countedFrom } = before;
  const { leaseMs, leaseBeganAt } = lease ?? before;
  const intervalMs = countedFrom === null ? undefined : lastAt - countedFrom;
  const isSeparate = intervalMs === undefined || intervalMs >= computeSeparationMs(leaseMs);
  const isLonger = (leaseMs ?? 0) > LONGER_LEASE_FACTOR * (before.leaseMs ?? 0);
  let { intervalsMs } = before;
  if (isSeparate && isLonger) intervalsMs = NO_INTERVALS;
  else if (isSeparate && intervalMs !== undefined)
    intervalsMs = [...intervalsMs, intervalMs].slice(-STEADY_INTERVALS);
  const history: RenewalHistory = {
    sinceMs,
    count: before.count + (isSeparate ? 1 : 0),
    lastAt,
    intervalsMs,
    steadyIntervalMs: findSteadyInterval(intervalsMs),
    countedFrom: isSeparate ? lastAt : countedFrom,
    leaseMs,
    leaseBeganAt,
  };
  // Nearly all histories have no such mark, and take no room for it.
  return lease === undefined ? { ...history, isExtended: true } : history;
}

/** The median of as many intervals as it takes, if it is the interval of a timer. */
export function findSteadyInterval(intervalsMs: readonly number[]): number | undefined {
  if (intervalsMs.length < STEADY_INTERVALS) return undefined;
  const median = intervalsMs.toSorted((a, b) => a - b)[Math.floor(intervalsMs.length / 2)] ?? 0;
  const isSteady = intervalsMs.every((ms) => Math.abs(ms - median) <= STEADY_SPREAD * median);
  return isSteady ? median : undefined;
}

function computeSeparationMs(leaseMs: number | null): number {
  return Math.min(SEPARATE_MS_MAX, Math.max(SEPARATE_MS_MIN, SEPARATE_SHARE * (leaseMs ?? 0)));
}

interface Renewal {
  readonly at: number;
  /** The deadline is the holder's own again, and no longer the one that an operator set. */
  readonly setsDeadline: boolean;
}

/** Finds a renewal between two readings. */
function findRenewal(before: WatchedHold, seen: HeldObservation, toleranceMs: number): Renewal | undefined {
  if (isProlonged(before.seen, seen, toleranceMs)) {
    const { leaseBeganAt } = describeLease(seen, before.renewals.leaseMs);
    const at = Math.min(seen.asOf, Math.max(before.seen.asOf, leaseBeganAt ?? seen.asOf));
    return { at, setsDeadline: true };
  }
  // Within the time that an operator added, a renewal sets an earlier deadline, or leaves it as it is.
  if (isSetBack(before, seen)) return { at: seen.asOf, setsDeadline: true };
  return hasRenewedByScript(before.seen, seen) ? { at: seen.asOf, setsDeadline: false } : undefined;
}

type Lease = Pick<RenewalHistory, "leaseMs" | "leaseBeganAt">;

/** The lease as asked for, or else the longest that was seen. */
function describeLease(seen: HeldObservation, longestMs: number | null): Lease {
  const { asOf, remainingMs, holders } = seen;
  if (remainingMs === null) return { leaseMs: null, leaseBeganAt: null };
  const [{ leaseMs: askedMs, marginMs }] = holders;
  const leaseMs = askedMs ?? Math.max(longestMs ?? 0, remainingMs);
  return { leaseMs, leaseBeganAt: asOf + remainingMs - leaseMs - (askedMs === null ? 0 : marginMs) };
}

function isSameLease(known: Lease, { leaseMs, leaseBeganAt }: Lease): boolean {
  return isNear(known.leaseMs, leaseMs) && isNear(known.leaseBeganAt, leaseBeganAt);
}

function isNear(a: number | null, b: number | null): boolean {
  return a === b || (a !== null && b !== null && Math.abs(a - b) <= CLOCK_TOLERANCE_MS);
}

/** Whether one of our scripts changed the hold and not its count: each renewal raises the number. */
function hasRenewedByScript({ holders: [was] }: HeldObservation, { holders: [is] }: HeldObservation) {
  return is.fence !== null && is.seq > was.seq && is.count === was.count;
}

function isSetBack({ seen: was, renewals }: WatchedHold, is: HeldObservation): boolean {
  const then = computeEndsAtMs(was, was.remainingMs);
  return renewals.isExtended === true && isLater(computeEndsAtMs(is, is.remainingMs), then);
}

/** Whether one who stayed has more time than before. A re-entry prolongs as well, and tells of no timer. */
function isProlonged(before: HeldObservation, seen: HeldObservation, toleranceMs: number): boolean {
  let isOfAll = true;
  for (const is of seen.holders) {
    const was = before.holders.find((each) => isSameHolder(each, is));
    const hasStayed = was !== undefined && is.count <= was.count;
    if (hasStayed && isLater(getOwnEndsAtMs(before, was), getOwnEndsAtMs(seen, is), toleranceMs)) return true;
    // The lock's own end says something only where nobody came and nobody entered once more.
    if (!hasStayed || is.ownRemainingMs !== undefined) isOfAll = false;
  }
  return (
    isOfAll &&
    isLater(computeEndsAtMs(before, before.remainingMs), computeEndsAtMs(seen, seen.remainingMs), toleranceMs)
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

function isLater(
  then: number | undefined,
  now: number | undefined,
  toleranceMs = CLOCK_TOLERANCE_MS,
): boolean {
  return then !== undefined && now !== undefined && now - then > toleranceMs;
}
