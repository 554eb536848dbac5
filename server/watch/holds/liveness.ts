import type { Liveness, LivenessState } from "../../../lib/contract/liveness.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { RenewalHistory } from "./renewal-history.ts";
import { getRenewalSchedule } from "./renewal-policy.ts";

/** Share of the renewal interval by which a renewal may be late before the holder counts as overdue. */
const GRACE_SHARE = 1 / 2;
/** Number of expected renewal intervals without a renewal after which a hold counts as not renewing. */
const OBSERVED_INTERVALS_MIN = 1.5;
/** Maximum deviation of an observed interval from the library's default, as a share of the default. */
const DEFAULT_SPREAD = 1 / 2;

/** The observations from which the liveness of a hold is assessed. */
export interface LivenessEvidence {
  readonly seen: HeldObservation;
  readonly renewals: RenewalHistory;
}

/** The liveness that is stored with each hold. */
export interface LivenessAssessment {
  readonly state: LivenessState;
  readonly missedRenewals: number;
}

/** The assessments without missed renewals, shared by all locks to save memory. */
const PLAIN_ASSESSMENTS: Readonly<Record<Exclude<LivenessState, "overdue">, LivenessAssessment>> = {
  alive: { state: "alive", missedRenewals: 0 },
  not_renewing: { state: "not_renewing", missedRenewals: 0 },
  no_ttl: { state: "no_ttl", missedRenewals: 0 },
  unknown: { state: "unknown", missedRenewals: 0 },
};

/**
 * Assesses whether the holder of a lock is alive, as of the last read.
 *
 * A holder counts as `overdue` only on sufficient evidence: a steady renewal interval (`RenewalHistory`), an interval
 * stated when the lock was acquired, or a library that is known with certainty and whose holders all renew.
 */
export function assessLiveness(evidence: LivenessEvidence): LivenessAssessment {
  const { seen, renewals } = evidence;
  // A latch has no holder whose liveness could be assessed, and never expires.
  if (seen.kind === "latch") return PLAIN_ASSESSMENTS.unknown;
  if (seen.remainingMs === null) return PLAIN_ASSESSMENTS.no_ttl;
  const expectation = computeExpectation(evidence);
  const { intervalMs, nextAt, changesAt, isSufficient, isLikelyTimer } = expectation;
  if (seen.asOf <= changesAt) {
    const isAlive = renewals.count > 0 && (isSufficient || isLikelyTimer);
    return PLAIN_ASSESSMENTS[isAlive ? "alive" : "unknown"];
  }
  if (!isSufficient) return PLAIN_ASSESSMENTS.not_renewing;
  const missedRenewals = Math.floor((seen.asOf - nextAt) / intervalMs + GRACE_SHARE);
  return { state: "overdue", missedRenewals };
}

/**
 * Returns the time, on the Redis clock, at which the liveness changes if there is no renewal. Returns `undefined` if
 * the lock has no TTL, or if the last read is later than this time.
 */
export function findLivenessChangeAt(evidence: LivenessEvidence): number | undefined {
  const { asOf, remainingMs } = evidence.seen;
  if (remainingMs === null) return undefined;
  const { changesAt } = computeExpectation(evidence);
  return asOf <= changesAt ? changesAt : undefined;
}

/** Returns the liveness of a hold in its API form, with the evidence. */
export function describeLiveness(evidence: LivenessEvidence): Liveness {
  const { seen, renewals } = evidence;
  const { state, missedRenewals } = assessLiveness(evidence);
  const { intervalMs, nextAt, isSufficient, isManual } = computeExpectation(evidence);
  const hasTtl = seen.remainingMs !== null;
  return {
    state,
    watchedMs: seen.asOf - renewals.sinceMs,
    renewals: renewals.count,
    lastRenewalAt: renewals.lastAt,
    renewalIntervalMs: hasTtl && !isManual ? intervalMs : null,
    nextRenewalExpectedAt: hasTtl && isSufficient ? nextAt : null,
    missedRenewals,
  };
}

interface RenewalExpectation {
  readonly intervalMs: number;
  readonly nextAt: number;
  /** Time, on the Redis clock, at which the state changes if there is no renewal until then. */
  readonly changesAt: number;
  /** Whether the evidence is sufficient for the state `overdue`. */
  readonly isSufficient: boolean;
  /** Whether the last renewal interval is close to the library's default, which suggests an automatic renewal. */
  readonly isLikelyTimer: boolean;
  /** Whether any renewals are manual: no steady interval was observed, and the library has no watchdog. */
  readonly isManual: boolean;
}

function computeExpectation({ seen, renewals }: LivenessEvidence): RenewalExpectation {
  const { lastAt, leaseBeganAt, leaseMs, intervalsMs, steadyIntervalMs } = renewals;
  const { intervalMs: scheduledMs, basis } = getRenewalSchedule(seen, leaseMs);
  const isSteady = steadyIntervalMs !== undefined;
  const isSufficient = isSteady || basis === "certain";
  const isStated = seen.holders[0].statedRenewal !== undefined && basis === "certain";
  // If the holder has renewed less often than expected, the longest observed interval replaces the expected one.
  const longestMs = Math.max(scheduledMs, ...intervalsMs);
  const shortestMs = isStated ? scheduledMs : 1;
  const intervalMs = isSteady ? Math.max(shortestMs, steadyIntervalMs) : longestMs;
  // The current lease began with the last renewal or at `leaseBeganAt`, whichever is later. If `leaseBeganAt` is
  // unknown, the lease is assumed to have begun at the time of the read.
  const givenAt = Math.min(seen.asOf, Math.max(lastAt ?? 0, leaseBeganAt ?? seen.asOf));
  const nextAt = givenAt + intervalMs;
  const observedFrom = Math.max(renewals.sinceMs, lastAt ?? 0);
  const lastIntervalMs = intervalsMs.at(-1);
  return {
    intervalMs,
    nextAt,
    changesAt: isSufficient
      ? nextAt + GRACE_SHARE * intervalMs
      : observedFrom + OBSERVED_INTERVALS_MIN * intervalMs,
    isSufficient,
    isLikelyTimer:
      basis === "default" &&
      lastIntervalMs !== undefined &&
      Math.abs(lastIntervalMs - scheduledMs) <= DEFAULT_SPREAD * scheduledMs,
    isManual: !isSteady && basis === "none",
  };
}
