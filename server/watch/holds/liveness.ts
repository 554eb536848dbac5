import type { Liveness, LivenessState } from "../../../lib/contract/liveness.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { RenewalHistory } from "./renewal-history.ts";
import { getRenewalPolicy } from "./renewal-policy.ts";

/** A renewal may come late by this share of the cadence before anything is said of it. */
const GRACE_SHARE = 1 / 2;
/** A hold that was watched for so many cadences without a renewal is on a fixed lease. */
const OBSERVED_CADENCES_MIN = 1.5;

/** What a liveness is drawn from. */
export interface LivenessEvidence {
  readonly seen: HeldObservation;
  readonly renewals: RenewalHistory;
}

/** The liveness as it is kept of every lock. */
export interface LivenessAssessment {
  readonly state: LivenessState;
  readonly missedRenewals: number;
}

/** As nearly every lock has one, with nothing missed: kept once for all of them. */
const PLAIN_ASSESSMENTS: Readonly<Record<Exclude<LivenessState, "overdue">, LivenessAssessment>> = {
  alive: { state: "alive", missedRenewals: 0 },
  not_renewing: { state: "not_renewing", missedRenewals: 0 },
  no_ttl: { state: "no_ttl", missedRenewals: 0 },
  unknown: { state: "unknown", missedRenewals: 0 },
};

/** Whether the holder is alive, as far as what was seen tells at the moment of the last look. */
export function assessLiveness(samples: LivenessEvidence): LivenessAssessment {
  const { seen, renewals } = samples;
  if (seen.remainingMs === null) return PLAIN_ASSESSMENTS.no_ttl;
  const { renewalIntervalMs, nextAt, changesAt, isSure } = computeExpectation(samples);
  if (seen.asOf <= changesAt) return PLAIN_ASSESSMENTS[renewals.count > 0 ? "alive" : "unknown"];
  if (!isSure) return PLAIN_ASSESSMENTS.not_renewing;
  return {
    state: "overdue",
    missedRenewals: Math.floor((seen.asOf - nextAt) / renewalIntervalMs + GRACE_SHARE),
  };
}

/** When the liveness will be another one if nothing happens until then; undefined: never, or it matters no more. */
export function findLivenessChangeAt(samples: LivenessEvidence): number | undefined {
  const { asOf, remainingMs } = samples.seen;
  if (remainingMs === null) return undefined;
  const { changesAt } = computeExpectation(samples);
  return asOf <= changesAt ? changesAt : undefined;
}

/** The liveness with its evidence. */
export function describeLiveness(samples: LivenessEvidence): Liveness {
  const { seen, renewals } = samples;
  const { state, missedRenewals } = assessLiveness(samples);
  const { renewalIntervalMs, nextAt, isManual } = computeExpectation(samples);
  const isExpected = state !== "no_ttl" && !isManual;
  return {
    state,
    watchedMs: seen.asOf - renewals.sinceMs,
    renewals: renewals.count,
    lastRenewalAt: renewals.lastAt,
    renewalIntervalMs: isExpected ? renewalIntervalMs : null,
    nextRenewalExpectedAt: isExpected && state !== "not_renewing" ? nextAt : null,
    missedRenewals,
  };
}

interface RenewalExpectation {
  readonly renewalIntervalMs: number;
  readonly nextAt: number;
  /** Until then nothing is said of it. */
  readonly changesAt: number;
  /** A renewal that does not come says something: it renewed before, or its library always does. */
  readonly isSure: boolean;
  /** Nothing was seen, and its library does not renew by itself. */
  readonly isManual: boolean;
}

function computeExpectation({ seen, renewals }: LivenessEvidence): RenewalExpectation {
  const { who, afterShare } = getRenewalPolicy(seen);
  const { lastAt, leaseBeganAt, leaseMs } = renewals;
  const renewalIntervalMs =
    renewals.renewalIntervalMs ?? Math.max(1, Math.round(afterShare * (leaseMs ?? 0)));
  // The present lease was given with the last renewal, or before we looked.
  const givenAt = Math.min(seen.asOf, Math.max(lastAt ?? 0, leaseBeganAt ?? seen.asOf));
  const nextAt = givenAt + renewalIntervalMs;
  const isSure = renewals.count > 0 || who === "all";
  return {
    renewalIntervalMs,
    nextAt,
    changesAt: isSure
      ? nextAt + GRACE_SHARE * renewalIntervalMs
      : renewals.sinceMs + OBSERVED_CADENCES_MIN * renewalIntervalMs,
    isSure,
    isManual: renewals.renewalIntervalMs === undefined && who === "none",
  };
}
