import type { HeldObservation, Observation, SeenHolder } from "../../formats/observation.ts";
import { outlastsGap } from "./gap-continuity.ts";
import { NO_CONTINUITY } from "./hold-version.ts";
import { hasCertainIdentity, isSameHolder } from "./holder-identity.ts";
import { assessLiveness } from "./liveness.ts";
import { getHolderSince, type ObservedHold, type ObservedHolder } from "./observed-hold.ts";
import { type Recurrence, recordRecurrence } from "./recurrence.ts";
import { CLOCK_TOLERANCE_MS, startRenewalHistory, updateRenewalHistory } from "./renewal-history.ts";

/** What is known about the time between the previous and the current observation of a lock. */
export interface ObservationContext {
  /**
   * Whether the key was reported as removed since the previous observation. If true, a hold of the same owner counts as
   * a new hold, unless its fencing token or owner string proves that it is the same hold.
   */
  readonly wasGone: boolean;
  /**
   * Whether a present holder may have left the lock and acquired it again. True if notifications reported more exits
   * than there are missing holders, or if they may have reported the end of the observed hold.
   */
  readonly hasAmbiguousExit?: boolean;
  /** Whether an operator extended the lease, which is not evidence that the holder is alive. */
  readonly isExtended?: boolean;
  /** `exact` if a hold that first appears in this observation must have begun after the previous observation. */
  readonly since: "exact" | "at_least";
  /** Identifies the period of uninterrupted observation. */
  readonly continuityId: string;
  /** Value for `ObservedHold.isListed`; true by default. */
  readonly isListed?: boolean;
}

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
  const match = new HolderMatch(before, seen, context, newEpoch);
  const [first, ...others] = seen.holders;
  // For one holder, an array literal takes less memory than the result of `map`.
  const holders: ObservedHold["holders"] =
    others.length === 0
      ? [match.continueOrStart(first)]
      : [match.continueOrStart(first), ...others.map((holder) => match.continueOrStart(holder))];
  const { continuityId } = context;
  const { recurrence } = match;
  if (before !== undefined && match.isContinuous)
    return withRecurrence(continueHold(before, seen, holders, context), recurrence);
  const longestMs = match.hasKept(holders)
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

function continueHolder(
  { epoch, firstSeenMs, since, ambiguousExits }: ObservedHolder,
  seen: SeenHolder,
): ObservedHolder {
  return { seen, epoch, firstSeenMs, since, ambiguousExits: ambiguousExits };
}

function startHolder(
  seen: SeenHolder,
  firstSeenMs: number,
  since: ObservedHolder["since"],
  epoch: number,
): ObservedHolder {
  return { seen, epoch, firstSeenMs, since, ambiguousExits: 0 };
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
 * Matches the holders of an observation with those of the previous one. Each previous holder can be matched only once.
 * A class instead of closures, because closures with a name would slow down each observation (decision 81).
 */
class HolderMatch {
  /** Whether a matched holder certainly continues its hold. */
  isContinuous = false;
  recurrence: Recurrence | undefined;
  readonly #unmatched: ObservedHolder[];
  readonly #hasGap: boolean;

  constructor(
    private readonly before: ObservedHold | undefined,
    private readonly seen: HeldObservation,
    private readonly context: ObservationContext,
    private readonly newEpoch: () => number,
  ) {
    this.#unmatched = [...(before?.holders ?? [])];
    this.recurrence = before?.recurrence;
    this.#hasGap = before !== undefined && before.continuityId !== context.continuityId;
  }

  continueOrStart(holder: SeenHolder): ObservedHolder {
    const { before, seen, context } = this;
    const was = this.#takeMatch(holder);
    if (before === undefined || was === undefined) return this.#start(holder);
    // The lock became free when the previous hold ended, so a held lock is a new hold.
    const hasEnded = before.seen.state === "ended" && seen.state === "held";
    const isSure = hasCertainIdentity(seen, holder);
    if (!isSure && (context.wasGone || hasEnded)) {
      this.recurrence = recordRecurrence(before.recurrence, seen.asOf);
      return this.#start(holder);
    }
    // The same owner may have released and acquired the lock again during a gap.
    const isSame = !this.#hasGap || outlastsGap(before, was.seen, seen, holder);
    if (isSure || (isSame && !context.hasAmbiguousExit)) {
      this.isContinuous = true;
      return continueHolder(was, holder);
    }
    const ambiguousExits = was.ambiguousExits + (this.#hasGap ? 0 : 1);
    return { ...was, seen: holder, ambiguousExits, firstSeenMs: seen.asOf, since: "at_least" };
  }

  /** Whether any of the holders has the epoch of a previous holder. */
  hasKept(holders: readonly ObservedHolder[]): boolean {
    const known = this.before?.holders ?? [];
    return holders.some(({ epoch }) => known.some((each) => each.epoch === epoch));
  }

  #start(holder: SeenHolder): ObservedHolder {
    // A hold begins after the removal that it follows. If notifications were lost, the removal may have preceded the
    // gap, so the start is unknown.
    const since = this.context.wasGone && !this.#hasGap ? "exact" : this.context.since;
    return startHolder(holder, this.seen.asOf, since, this.newEpoch());
  }

  #takeMatch(holder: SeenHolder): ObservedHolder | undefined {
    const at = this.#unmatched.findIndex(({ seen }) => isSameHolder(seen, holder));
    return at < 0 ? undefined : this.#unmatched.splice(at, 1)[0];
  }
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
