import type { Verdict, VerdictState } from "../../lib/contract/verdict.ts";
import type { HeldObservation } from "../formats/observation.ts";
import { renewalOf } from "./renewal.ts";
import type { Renewals } from "./renewals.ts";

/** A renewal may come late by this share of the cadence before anything is said of it. */
const PATIENCE = 1 / 2;
/** A hold that was watched for so many cadences without a renewal is on a fixed lease. */
const WATCHED_ENOUGH = 1.5;

// Of most locks that are watched for long one of these is kept, once for all of them.
const NO_EXPIRY: Judgement = { state: "no-expiry", misses: 0, turnsAt: undefined };
const FIXED_LEASE: Judgement = { state: "fixed-lease", misses: 0, turnsAt: undefined };

/** What a verdict is drawn from. */
export interface Samples {
  readonly seen: HeldObservation;
  readonly renewals: Renewals;
}

/** The verdict as it is kept of every lock: what it is, and when it turns. */
export interface Judgement {
  readonly state: VerdictState;
  readonly misses: number;
  /** When it will be another one if nothing happens until then; undefined: never, or it matters no more. */
  readonly turnsAt: number | undefined;
}

/**
 * Whether the holder is alive, as far as what was seen tells at the moment of the last look.
 *
 * @param before given again if nothing has changed: of most locks nothing does from one look to the next
 */
export function judge(samples: Samples, before?: Judgement): Judgement {
  const now = judgementOf(samples);
  const isAsBefore =
    before?.state === now.state && before.misses === now.misses && before.turnsAt === now.turnsAt;
  return isAsBefore ? before : now;
}

function judgementOf(samples: Samples): Judgement {
  const { seen, renewals } = samples;
  if (seen.remainingMs === null) return NO_EXPIRY;
  const { cadenceMs, nextAt, isSure } = expectationOf(samples);
  if (!isSure) {
    const knownAt = renewals.sinceMs + WATCHED_ENOUGH * cadenceMs;
    if (seen.asOf > knownAt) return FIXED_LEASE;
    return { state: "unknown", misses: 0, turnsAt: knownAt };
  }
  const lateMs = seen.asOf - nextAt;
  if (lateMs > PATIENCE * cadenceMs) {
    return { state: "late", misses: Math.floor(lateMs / cadenceMs + PATIENCE), turnsAt: undefined };
  }
  const state = renewals.count > 0 ? "renewing" : "unknown";
  return { state, misses: 0, turnsAt: nextAt + PATIENCE * cadenceMs };
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
  return {
    cadenceMs,
    nextAt: givenAt + cadenceMs,
    isSure: renewals.count > 0 || who === "all",
    isByHand: renewals.cadenceMs === undefined && who === "none",
  };
}
