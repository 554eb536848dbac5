import type { Verdict } from "../../lib/contract/verdict.ts";
import type { HeldObservation } from "../formats/observation.ts";
import { type Renewal, renewalOf } from "./renewal.ts";
import { cadenceOf, type Renewals } from "./renewals.ts";

/** A renewal may come late by this share of the cadence before anything is said of it. */
const PATIENCE = 1 / 2;
/** A hold that was watched for so many cadences without a renewal is on a fixed lease. */
const WATCHED_ENOUGH = 1.5;

/** What a verdict is drawn from. */
export interface Samples {
  readonly seen: HeldObservation;
  readonly renewals: Renewals;
}

/** Whether the holder is alive, as far as what was seen tells at the moment of the last look. */
export function verdictOf({ seen, renewals }: Samples): Verdict {
  const { asOf } = seen;
  const { count, lastAt } = renewals;
  const seenOf = { watchedMs: asOf - renewals.sinceMs, renewals: count, lastRenewalAt: lastAt };
  if (seen.remainingMs === null) {
    return { ...seenOf, state: "no-expiry", cadenceMs: null, nextExpectedAt: null, misses: 0 };
  }
  const expected = expectationOf(renewals, renewalOf(seen));
  const { cadenceMs, isSure } = expected;
  const nextAt = lastSetOf(renewals, asOf) + cadenceMs;
  const misses = isSure ? missesOf(nextAt, cadenceMs, asOf) : 0;
  const told = { ...seenOf, cadenceMs: expected.isByHand ? null : cadenceMs, misses };
  if (misses > 0) return { ...told, state: "late", nextExpectedAt: nextAt };
  if (count > 0) return { ...told, state: "renewing", nextExpectedAt: nextAt };
  const isFixed = !isSure && seenOf.watchedMs > WATCHED_ENOUGH * cadenceMs;
  if (isFixed) return { ...told, state: "fixed-lease", nextExpectedAt: null };
  return { ...told, state: "unknown", nextExpectedAt: expected.isByHand ? null : nextAt };
}

/** When the verdict will be another one if nothing happens until then; undefined: never, or it matters no more. */
export function turnsAt({ seen, renewals }: Samples, { state }: Verdict): number | undefined {
  const { cadenceMs, isSure } = expectationOf(renewals, renewalOf(seen));
  if (state === "renewing" || (state === "unknown" && isSure)) {
    return lastSetOf(renewals, seen.asOf) + (1 + PATIENCE) * cadenceMs;
  }
  return state === "unknown" ? renewals.sinceMs + WATCHED_ENOUGH * cadenceMs : undefined;
}

interface Expectation {
  readonly cadenceMs: number;
  /** A renewal that does not come says something: it renewed before, or its library always does. */
  readonly isSure: boolean;
  /** Nothing was seen, and its library does not renew by itself. */
  readonly isByHand: boolean;
}

function expectationOf(renewals: Renewals, { who, afterShare }: Renewal): Expectation {
  const seenMs = cadenceOf(renewals);
  return {
    cadenceMs: seenMs ?? Math.max(1, afterShare * (renewals.leaseMs ?? 0)),
    isSure: renewals.count > 0 || who === "all",
    isByHand: seenMs === undefined && who === "none",
  };
}

/** When the present lease began: with the last renewal, or before we looked. */
function lastSetOf({ lastAt, leaseBeganAt }: Renewals, asOf: number): number {
  return Math.min(asOf, Math.max(lastAt ?? leaseBeganAt ?? asOf, leaseBeganAt ?? asOf));
}

function missesOf(nextAt: number, cadenceMs: number, asOf: number): number {
  const overdueMs = asOf - nextAt;
  return overdueMs > PATIENCE * cadenceMs ? Math.floor(overdueMs / cadenceMs + PATIENCE) : 0;
}
