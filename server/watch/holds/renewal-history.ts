import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { computeGapToleranceMs } from "./gap-continuity.ts";
import { isSameHolder } from "./holder-identity.ts";

/** Maximum error of an observed deadline, in ms. Rounding and the estimate of Redis's clock cause the error. */
export const CLOCK_TOLERANCE_MS = 5;
/**
 * Number of similar successive intervals that are evidence of a steady renewal interval. Three intervals require at
 * least three renewals.
 */
const STEADY_INTERVALS = 3;
/** Maximum deviation of steady renewal intervals from their median, as a share of the median. */
const STEADY_SPREAD = 0.3;
/**
 * Minimum time between two renewals, as a share of the lease. Extensions in quicker succession count as one renewal,
 * because they are not evidence of a timer: a client may extend several keys after it has acquired the last one, or
 * extend a lock twice.
 */
const SEPARATE_SHARE = 0.01;
const SEPARATE_MS_MIN = 20;
const SEPARATE_MS_MAX = 1000;
/** Factor by which a lease must grow to start a new renewal schedule, which discards the intervals observed before. */
const LONGER_LEASE_FACTOR = 1.5;

/** The lease and the renewals of one hold, as observed in repeated reads. Times are on the Redis clock. */
export interface RenewalHistory {
  /** Start of the observation. */
  readonly sinceMs: number;
  readonly count: number;
  readonly lastAt: number | null;
  /**
   * The last intervals between renewals in ms, oldest first, at most three. The first interval of a hold begins at the
   * exact start of the hold, if that is known.
   */
  readonly intervalsMs: readonly number[];
  /**
   * The median of the last three renewal intervals, in ms. `undefined` if there are fewer than three intervals, or if
   * any interval differs from the median by more than 30%.
   */
  readonly steadyIntervalMs: number | undefined;
  /** Start of the current interval: the last renewal or the exact start of the hold. `null` if unknown. */
  readonly countedFrom: number | null;
  /** The requested lease in ms. If it is not stored, the longest observed TTL. `null` if the lock has no TTL. */
  readonly leaseMs: number | null;
  /** Start of the current lease; `null` if the lock has no TTL. */
  readonly leaseBeganAt: number | null;
  /**
   * Set if an operator set the current deadline. `leaseMs` and `leaseBeganAt` then still describe the holder's own
   * lease.
   */
  readonly isExtended?: true;
}

const NO_INTERVALS: readonly number[] = [];

/** @param begunAt exact start of the hold on the Redis clock, or `null` if unknown */
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
  /** Whether changes since the previous read may have been missed. */
  readonly isBroken: boolean;
  /** Whether an operator extended the lease since the previous read. */
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
  const isSetByOperator = isExtended || (renewals.isExtended === true && renewal?.setsDeadline !== true);
  const lease = describeLease(seen, renewals.leaseMs);
  if (renewal === undefined) {
    const isAsKnown = !isBroken && (isSetByOperator ? renewals.isExtended : isSameLease(renewals, lease));
    // Nearly all reads show no change. Reusing the stored object saves memory.
    if (isAsKnown) return renewals;
    return { ...renewals, countedFrom, ...(isSetByOperator ? { isExtended: true } : lease) };
  }
  return withRenewal({ ...renewals, countedFrom }, renewal.at, isSetByOperator ? undefined : lease);
}

/** @param lease `undefined` if an operator set the deadline, because the holder's lease is then unchanged */
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
  // Omitting the unset field saves memory in nearly all histories.
  return lease === undefined ? { ...history, isExtended: true } : history;
}

/**
 * Returns the median of the intervals, in ms. Returns `undefined` if there are fewer than three intervals, or if any
 * interval differs from the median by more than 30%.
 */
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
  /** Whether the renewal set a new deadline, which also replaces a deadline set by an operator. */
  readonly setsDeadline: boolean;
}

/** Returns the renewal between two reads, or `undefined` if there was none. */
function findRenewal(before: WatchedHold, seen: HeldObservation, toleranceMs: number): Renewal | undefined {
  if (hasLaterDeadline(before.seen, seen, toleranceMs)) {
    const { leaseBeganAt } = describeLease(seen, before.renewals.leaseMs);
    const at = Math.min(seen.asOf, Math.max(before.seen.asOf, leaseBeganAt ?? seen.asOf));
    return { at, setsDeadline: true };
  }
  // After an operator has extended the lease, a renewal sets an earlier deadline or leaves the deadline unchanged.
  if (isSetEarlier(before, seen)) return { at: seen.asOf, setsDeadline: true };
  return hasRenewedByScript(before.seen, seen) ? { at: seen.asOf, setsDeadline: false } : undefined;
}

type Lease = Pick<RenewalHistory, "leaseMs" | "leaseBeganAt">;

/** Returns the requested lease and its start. If the lease is not stored, uses the longest observed TTL instead. */
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

/**
 * Returns whether one of Lockkeeper's scripts renewed the hold. A renewal increases the sequence number and leaves the
 * count unchanged.
 */
function hasRenewedByScript({ holders: [was] }: HeldObservation, { holders: [is] }: HeldObservation) {
  return is.fence !== null && is.seq > was.seq && is.count === was.count;
}

function isSetEarlier({ seen: was, renewals }: WatchedHold, is: HeldObservation): boolean {
  const then = computeEndsAtMs(was, was.remainingMs);
  return renewals.isExtended === true && isLater(computeEndsAtMs(is, is.remainingMs), then);
}

/**
 * Returns whether a holder in both observations has a later deadline. Ignores re-entries, which extend the deadline but
 * are not evidence of a timer.
 */
function hasLaterDeadline(before: HeldObservation, seen: HeldObservation, toleranceMs: number): boolean {
  let haveAllStayed = true;
  for (const is of seen.holders) {
    const was = before.holders.find((each) => isSameHolder(each, is));
    const hasStayed = was !== undefined && is.count <= was.count;
    if (hasStayed && isLater(getOwnEndsAtMs(before, was), getOwnEndsAtMs(seen, is), toleranceMs)) return true;
    // The deadline of the lock counts only if all holders stayed, none re-entered, and none expires separately.
    if (!hasStayed || is.ownRemainingMs !== undefined) haveAllStayed = false;
  }
  return (
    haveAllStayed &&
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
