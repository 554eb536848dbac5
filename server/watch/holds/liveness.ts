import type { Verdict, VerdictState } from "../../../lib/contract/liveness.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { Renewals } from "./renewal-history.ts";
import { renewalOf } from "./renewal-policy.ts";

/** A renewal may come late by this share of the cadence before anything is said of it. */
const PATIENCE = 1 / 2;
/** A hold that was watched for so many cadences without a renewal is on a fixed lease. */
const WATCHED_ENOUGH = 1.5;

/** What a verdict is drawn from. */
export interface Samples {
  readonly seen: HeldObservation;
  readonly renewals: Renewals;
}

/** The verdict as it is kept of every lock. */
export interface Judgement {
  readonly state: VerdictState;
  readonly misses: number;
}

/** As nearly every lock has one, with nothing missed: kept once for all of them. */
const PLAIN: Readonly<Record<Exclude<VerdictState, "late">, Judgement>> = {
  renewing: { state: "renewing", misses: 0 },
  "fixed-lease": { state: "fixed-lease", misses: 0 },
  "no-expiry": { state: "no-expiry", misses: 0 },
  unknown: { state: "unknown", misses: 0 },
};

/** Whether the holder is alive, as far as what was seen tells at the moment of the last look. */
export function judge(samples: Samples): Judgement {
  const { seen, renewals } = samples;
  if (seen.remainingMs === null) return PLAIN["no-expiry"];
  const { cadenceMs, nextAt, turnsAt, isSure } = expectationOf(samples);
  if (seen.asOf <= turnsAt) return PLAIN[renewals.count > 0 ? "renewing" : "unknown"];
  if (!isSure) return PLAIN["fixed-lease"];
  return { state: "late", misses: Math.floor((seen.asOf - nextAt) / cadenceMs + PATIENCE) };
}

/** When the verdict will be another one if nothing happens until then; undefined: never, or it matters no more. */
export function turnsAtOf(samples: Samples): number | undefined {
  const { asOf, remainingMs } = samples.seen;
  if (remainingMs === null) return undefined;
  const { turnsAt } = expectationOf(samples);
  return asOf <= turnsAt ? turnsAt : undefined;
}

/** The verdict with its evidence. */
export function verdictOf(samples: Samples): Verdict {
  const { seen, renewals } = samples;
  const { state, misses } = judge(samples);
  const { cadenceMs, nextAt, isByHand } = expectationOf(samples);
  const isExpected = state !== "no-expiry" && !isByHand;
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

interface Expectation {
  readonly cadenceMs: number;
  readonly nextAt: number;
  /** Until then nothing is said of it. */
  readonly turnsAt: number;
  /** A renewal that does not come says something: it renewed before, or its library always does. */
  readonly isSure: boolean;
  /** Nothing was seen, and its library does not renew by itself. */
  readonly isByHand: boolean;
}

function expectationOf({ seen, renewals }: Samples): Expectation {
  const { who, afterShare } = renewalOf(seen);
  const { lastAt, leaseBeganAt, leaseMs } = renewals;
  const cadenceMs = renewals.cadenceMs ?? Math.max(1, afterShare * (leaseMs ?? 0));
  // The present lease was given with the last renewal, or before we looked.
  const givenAt = Math.min(seen.asOf, Math.max(lastAt ?? 0, leaseBeganAt ?? seen.asOf));
  const nextAt = givenAt + cadenceMs;
  const isSure = renewals.count > 0 || who === "all";
  return {
    cadenceMs,
    nextAt,
    turnsAt: isSure ? nextAt + PATIENCE * cadenceMs : renewals.sinceMs + WATCHED_ENOUGH * cadenceMs,
    isSure,
    isByHand: renewals.cadenceMs === undefined && who === "none",
  };
}
