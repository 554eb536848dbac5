import type { HeldObservation, Observation } from "../../formats/observation.ts";
import { NO_CONTINUITY } from "./hold-version.ts";
import { isSameHolder } from "./holder-identity.ts";
import { continueHolder, HolderMatcher, type ObservationContext } from "./holder-matcher.ts";
import { assessLiveness } from "./liveness.ts";
import { getHolderSince, type ObservedHold } from "./observed-hold.ts";
import type { Recurrence } from "./recurrence.ts";
import { CLOCK_TOLERANCE_MS, startRenewalHistory, updateRenewalHistory } from "./renewal-history.ts";

/** Interned lists of candidates, because all locks share a few distinct lists. */
const CANDIDATE_LISTS = new Map<string, HeldObservation["candidates"]>();

function internCandidates(candidates: HeldObservation["candidates"]): HeldObservation["candidates"] {
  const name = candidates.join(" ");
  const known = CANDIDATE_LISTS.get(name) ?? [...candidates];
  CANDIDATE_LISTS.set(name, known);
  return known;
}

/**
 * Builds a compact copy of the observation for storage, because there can be a million stored observations, and objects
 * created by spreading take twice the memory. Returns the original object if the observation has a rarely used field.
 */
function compactObservation(observation: HeldObservation): HeldObservation {
  const { state, key, asOf, type, format, kind, confidence, remainingMs, waiters } = observation;
  const { isChosen, permits, lastFence, votes } = observation;
  const [first, second] = observation.holders;
  if ((isChosen ?? permits ?? lastFence ?? votes ?? second) !== undefined) return observation;
  const holders: HeldObservation["holders"] = [first];
  const candidates = internCandidates(observation.candidates);
  if (waiters === undefined) {
    return { state, key, asOf, type, format, candidates, kind, confidence, holders, remainingMs };
  }
  return { state, key, asOf, type, format, candidates, kind, confidence, holders, remainingMs, waiters };
}

/**
 * Returns the hold, updated with an observation. For each holder whose hold continues, the result retains the facts
 * from earlier observations, such as the start of the hold.
 */
export function updateHold(
  before: ObservedHold | undefined,
  observation: HeldObservation,
  context: ObservationContext,
  newEpoch: () => number,
): ObservedHold {
  const seen = compactObservation(observation);
  if (before !== undefined && isSameSingleHolder(before, seen, context)) {
    return continueHold(before, seen, [continueHolder(before.holders[0], seen.holders[0])], context);
  }
  const matcher = new HolderMatcher(before, seen, context, newEpoch);
  const [first, ...others] = seen.holders;
  // For one holder, an array literal takes less memory than the result of `map`.
  const holders: ObservedHold["holders"] =
    others.length === 0
      ? [matcher.continueOrStartHold(first)]
      : [matcher.continueOrStartHold(first), ...others.map((holder) => matcher.continueOrStartHold(holder))];
  const { continuityId } = context;
  const { recurrence } = matcher;
  if (before !== undefined && matcher.isContinuous)
    return withRecurrence(continueHold(before, seen, holders, context), recurrence);
  const longestMs = matcher.includesPrevious(holders)
    ? computeLongestMs(before?.longestMs, seen.remainingMs)
    : seen.remainingMs;
  const renewals = startRenewalHistory(seen, findExactStart(holders));
  const endsAtMs = computeEndsAtMs(before, seen);
  const liveness = assessLiveness({ seen, renewals });
  const hold: ObservedHold = {
    key: seen.key,
    seen,
    holders,
    continuityId: continuityId,
    endsAtMs,
    longestMs,
    renewals,
    liveness: liveness,
    isListed: context.isListed ?? true,
  };
  return withRecurrence(hold, recurrence);
}

/**
 * Returns the hold with the recurrence. Adds the field only if the recurrence changed, because nearly all holds have
 * none.
 */
function withRecurrence(hold: ObservedHold, recurrence: Recurrence | undefined): ObservedHold {
  return recurrence === undefined || recurrence === hold.recurrence ? hold : { ...hold, recurrence };
}

/**
 * Whether the lock still has the same single holder, and no gap or notification contradicts this. Allows `updateHold`
 * to handle the most common case quickly.
 */
function isSameSingleHolder(
  before: ObservedHold,
  seen: HeldObservation,
  context: ObservationContext,
): boolean {
  const { wasGone, hasAmbiguousExit, continuityId } = context;
  return (
    !wasGone &&
    !hasAmbiguousExit &&
    continuityId === before.continuityId &&
    before.seen.state === seen.state &&
    before.holders.length === 1 &&
    seen.holders.length === 1 &&
    isSameHolder(before.holders[0].seen, seen.holders[0])
  );
}

/** Returns the next state of a continuing hold. */
function continueHold(
  before: ObservedHold,
  seen: HeldObservation,
  holders: ObservedHold["holders"],
  { continuityId, isExtended = false, isListed = true }: ObservationContext,
): ObservedHold {
  const longestMs = computeLongestMs(before.longestMs, seen.remainingMs);
  const isBroken = continuityId !== before.continuityId;
  const renewals = updateRenewalHistory(before, seen, { isBroken, isExtended });
  const liveness = assessLiveness({ seen, renewals });
  const endsAtMs = computeEndsAtMs(before, seen);
  const hold: ObservedHold = {
    key: seen.key,
    seen,
    holders,
    continuityId: continuityId,
    endsAtMs,
    longestMs,
    renewals,
    liveness: liveness,
    isListed,
  };
  return withRecurrence(hold, before.recurrence);
}

/**
 * Returns the deadline in Unix ms. Keeps the previous deadline if the difference is within the clock tolerance, so that
 * the sort order is stable. Returns `null` if there is no TTL.
 */
function computeEndsAtMs(
  before: ObservedHold | undefined,
  { asOf, remainingMs }: HeldObservation,
): number | null {
  const known = before?.endsAtMs;
  if (remainingMs === null) return null;
  const endsAtMs = asOf + remainingMs;
  return known != null && Math.abs(known - endsAtMs) <= CLOCK_TOLERANCE_MS ? known : endsAtMs;
}

/** Returns the exact start of a single holder. Returns `null` if the start is unknown or there are several holders. */
function findExactStart([first, second]: ObservedHold["holders"]): number | null {
  if (second !== undefined) return null;
  const { since, sinceIs } = getHolderSince(first);
  return sinceIs === "exact" ? since : first.since === "exact" ? first.firstSeenMs : null;
}

function computeLongestMs(before: number | null | undefined, remainingMs: number | null): number | null {
  return Math.max(before ?? 0, remainingMs ?? 0) || null;
}

/**
 * Creates a hold from a single observation of a key that is not in the index. Returns `undefined` if the key contains
 * no lock.
 *
 * @param isAlwaysListed whether to list a lock with this key even if it is only a possible lock
 */
export function createTransientHold(
  observation: Observation,
  isAlwaysListed = false,
): ObservedHold | undefined {
  if (observation.state !== "held" && observation.state !== "ended") return undefined;
  return updateHold(
    undefined,
    observation,
    {
      wasGone: false,
      since: "at_least",
      continuityId: NO_CONTINUITY,
      isListed: isAlwaysListed || observation.confidence !== "possible",
    },
    () => 0,
  );
}
