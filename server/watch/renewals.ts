import type { HeldObservation, SeenHolder } from "../formats/observation.ts";
import { isSameHolder } from "./identity.ts";

/** Redis's expiry and our reading of its clock may differ by this much. */
export const TOLERANCE_MS = 5;
/** The cadence is the middle of so many intervals: one that went wrong is outweighed. */
const INTERVALS_KEPT = 5;

/** What looking at one hold has shown of its lease, and of how it was prolonged. */
export interface Renewals {
  /** Since when this hold is looked at, Redis's clock. */
  readonly sinceMs: number;
  readonly count: number;
  readonly lastAt: number | null;
  /** The last times from one renewal to the next, or from the beginning to the first, oldest first. */
  readonly intervalsMs: readonly number[];
  /** From when the next one is counted; null: we do not know that moment. */
  readonly countedFrom: number | null;
  /** As asked for, or the longest that was seen; null: no expiry. */
  readonly leaseMs: number | null;
  /** When the present lease was given, as far as its length is known. */
  readonly leaseBeganAt: number | null;
}

/** @param begunAt when the hold began, where that is known to the moment */
export function firstLook(seen: HeldObservation, begunAt: number | null): Renewals {
  const none = { count: 0, lastAt: null, intervalsMs: [] };
  return { ...none, sinceMs: seen.asOf, countedFrom: begunAt, ...leaseOf(seen, seen.remainingMs) };
}

/** @param isBroken something may have happened since the look before that we did not hear of */
export function nextLook(
  before: { readonly seen: HeldObservation; readonly renewals: Renewals },
  seen: HeldObservation,
  longestMs: number | null,
  isBroken: boolean,
): Renewals {
  const { renewals } = before;
  const lease = leaseOf(seen, longestMs);
  const countedFrom = isBroken ? null : renewals.countedFrom;
  if (!isProlonged(before.seen, seen)) return { ...renewals, ...lease, countedFrom };
  const lastAt = Math.min(seen.asOf, Math.max(before.seen.asOf, lease.leaseBeganAt ?? seen.asOf));
  const interval = countedFrom === null || lastAt <= countedFrom ? [] : [lastAt - countedFrom];
  return {
    ...{ ...lease, sinceMs: renewals.sinceMs, count: renewals.count + 1, lastAt, countedFrom: lastAt },
    intervalsMs: [...renewals.intervalsMs, ...interval].slice(-INTERVALS_KEPT),
  };
}

/** From one renewal to the next, as seen: the middle of the last intervals, and the longer one of two. */
export function cadenceOf({ intervalsMs }: Renewals): number | undefined {
  return intervalsMs.toSorted((a, b) => a - b)[Math.floor(intervalsMs.length / 2)];
}

function leaseOf(
  { asOf, remainingMs, holders: [first] }: HeldObservation,
  longestMs: number | null,
): Pick<Renewals, "leaseMs" | "leaseBeganAt"> {
  if (remainingMs === null) return { leaseMs: null, leaseBeganAt: null };
  const wholeMs = first.leaseMs === null ? (longestMs ?? remainingMs) : first.leaseMs + first.marginMs;
  return { leaseMs: first.leaseMs ?? longestMs, leaseBeganAt: asOf + remainingMs - wholeMs };
}

/** Whether one who stayed has more time than before. A re-entry prolongs as well, and tells of no timer. */
function isProlonged(before: HeldObservation, seen: HeldObservation): boolean {
  const pairs = seen.holders.map((is) => ({
    is,
    was: before.holders.find((each) => isSameHolder(each, is)),
  }));
  const stayed = pairs.flatMap(({ is, was }) =>
    was === undefined || is.count > was.count ? [] : [{ is, was }],
  );
  if (stayed.some(({ is, was }) => isLater(ownEndOf(before, was), ownEndOf(seen, is)))) return true;
  // The lock's own end says something only where nobody came and nobody entered once more.
  const isOfAll = stayed.length === pairs.length && stayed.every(({ is }) => is.ownRemainingMs === undefined);
  return isOfAll && isLater(endOf(before, before.remainingMs), endOf(seen, seen.remainingMs));
}

function ownEndOf(seen: HeldObservation, { ownRemainingMs }: SeenHolder): number | undefined {
  return endOf(seen, ownRemainingMs);
}

function endOf({ asOf }: HeldObservation, remainingMs: number | null | undefined): number | undefined {
  return typeof remainingMs === "number" ? asOf + remainingMs : undefined;
}

function isLater(then: number | undefined, now: number | undefined): boolean {
  return then !== undefined && now !== undefined && now - then > TOLERANCE_MS;
}
