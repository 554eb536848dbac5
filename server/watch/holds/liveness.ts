import type { Liveness, LivenessState } from "../../../lib/contract/liveness.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { RenewalHistory } from "./renewal-history.ts";
import { getRenewalPolicy } from "./renewal-policy.ts";

/** A renewal may come late by this share of the cadence before anything is said of it. */
const GRACE_SHARE = 1 / 2;
/** A hold that was watched for so many cadences without a renewal is on a fixed lease. */
const OBSERVED_CADENCES_MIN = 1.5;

/** What a verdict is drawn from. */
export interface LivenessEvidence {
  readonly seen: HeldObservation;
  readonly renewals: RenewalHistory;
}

/** The verdict as it is kept of every lock. */
export interface LivenessAssessment {
  readonly state: LivenessState;
  readonly misses: number;
}

/** As nearly every lock has one, with nothing missed: kept once for all of them. */
const PLAIN_ASSESSMENTS: Readonly<Record<Exclude<LivenessState, "late">, LivenessAssessment>> = {
  renewing: { state: "renewing", misses: 0 },
  "fixed-lease": { state: "fixed-lease", misses: 0 },
  "no-expiry": { state: "no-expiry", misses: 0 },
  unknown: { state: "unknown", misses: 0 },
};

/** Whether the holder is alive, as far as what was seen tells at the moment of the last look. */
export function assessLiveness(samples: LivenessEvidence): LivenessAssessment {
  const { seen, renewals } = samples;
  if (seen.remainingMs === null) return PLAIN_ASSESSMENTS["no-expiry"];
  const { cadenceMs, nextAt, changesAt, isSure } = computeExpectation(samples);
  if (seen.asOf <= changesAt) return PLAIN_ASSESSMENTS[renewals.count > 0 ? "renewing" : "unknown"];
  if (!isSure) return PLAIN_ASSESSMENTS["fixed-lease"];
  return { state: "late", misses: Math.floor((seen.asOf - nextAt) / cadenceMs + GRACE_SHARE) };
}

/** When the verdict will be another one if nothing happens until then; undefined: never, or it matters no more. */
export function findLivenessChangeAt(samples: LivenessEvidence): number | undefined {
  const { asOf, remainingMs } = samples.seen;
  if (remainingMs === null) return undefined;
  const { changesAt } = computeExpectation(samples);
  return asOf <= changesAt ? changesAt : undefined;
}

/** The verdict with its evidence. */
export function describeLiveness(samples: LivenessEvidence): Liveness {
  const { seen, renewals } = samples;
  const { state, misses } = assessLiveness(samples);
  const { cadenceMs, nextAt, isManual } = computeExpectation(samples);
  const isExpected = state !== "no-expiry" && !isManual;
  return {
    state,
    watchedMs: seen.asOf - renewals.sinceMs,
    renewals: renewals.count,
    lastRenewalAt: renewals.lastAt,
    cadenceMs: isExpected ? cadenceMs : null,
    nextExpectedAt: isExpected && state !== "fixed-lease" ? nextAt : null,
    misses,
  };
}

interface RenewalExpectation {
  readonly cadenceMs: number;
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
  const cadenceMs = renewals.cadenceMs ?? Math.max(1, afterShare * (leaseMs ?? 0));
  // The present lease was given with the last renewal, or before we looked.
  const givenAt = Math.min(seen.asOf, Math.max(lastAt ?? 0, leaseBeganAt ?? seen.asOf));
  const nextAt = givenAt + cadenceMs;
  const isSure = renewals.count > 0 || who === "all";
  return {
    cadenceMs,
    nextAt,
    changesAt: isSure
      ? nextAt + GRACE_SHARE * cadenceMs
      : renewals.sinceMs + OBSERVED_CADENCES_MIN * cadenceMs,
    isSure,
    isManual: renewals.cadenceMs === undefined && who === "none",
  };
}
