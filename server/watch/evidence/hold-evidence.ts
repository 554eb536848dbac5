import { z } from "zod";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { digestHolder } from "../holds/hold-version.ts";
import { assessLiveness } from "../holds/liveness.ts";
import type { ObservedHold, ObservedHolder } from "../holds/observed-hold.ts";
import { findSteadyInterval, type RenewalHistory } from "../holds/renewal-history.ts";

/** Maximum number of holders to store per hold. Only shared locks can have more holders. */
const HOLDERS_MAX = 32;
const TEXT_CHARACTERS_MAX = 8192;
/**
 * Maximum time, in ms, by which a stored time may be ahead of Redis's clock. If the difference is larger, Redis's clock
 * was set back, and the evidence is ignored.
 */
const CLOCK_STEP_MS = 5000;
/**
 * Continuity id of restored holds. Differs from all current ids, because the hold was not observed between the write
 * and the restart.
 */
const STORED_CONTINUITY_ID = "stored";

const Time = z.int().min(0);
const Duration = z.int().min(0);

/**
 * Stored fields of one holder: digest, re-entrancy count, sequence number of the last change, time of the first
 * observation, 1 if this time is the exact start of the hold, and the holder's own deadline.
 */
const StoredHolder = z.tuple([
  z.string().max(32),
  z.int(),
  z.int(),
  Time,
  z.union([z.literal(0), z.literal(1)]),
  Time.nullable().optional(),
]);

/** Stored fields of one hold. Uses arrays, because the field names of objects would take half of the space. */
const StoredHold = z.tuple([
  z.literal(1),
  z.tuple([Time, Time.nullable(), Duration.nullable()]),
  z.tuple([Time, z.int().min(0), Time.nullable(), z.array(Duration).max(10), Time.nullable()]),
  z.tuple([Duration.nullable(), z.int().nullable(), z.union([z.literal(0), z.literal(1)])]),
  z.array(StoredHolder).min(1).max(HOLDERS_MAX),
]);
type StoredHold = z.infer<typeof StoredHold>;

/** Serializes the properties of a hold that must survive a restart: its deadline, renewals and start. */
export function formatHoldEvidence({ seen, endsAtMs, longestMs, renewals, holders }: ObservedHold): string {
  const { sinceMs, count, lastAt, intervalsMs, countedFrom, leaseMs, leaseBeganAt, isExtended } = renewals;
  const stored: StoredHold = [
    1,
    [seen.asOf, roundTime(endsAtMs), roundTime(longestMs)],
    [sinceMs, count, roundTime(lastAt), intervalsMs.map(Math.round), roundTime(countedFrom)],
    [roundTime(leaseMs), roundTime(leaseBeganAt), isExtended === true ? 1 : 0],
    holders.slice(0, HOLDERS_MAX).map((holder) => toStoredHolder(holder, seen.asOf)),
  ];
  return JSON.stringify(stored);
}

function toStoredHolder({ seen, firstSeenMs, since }: ObservedHolder, asOf: number): StoredHold[4][number] {
  const { count, seq, ownRemainingMs: leftMs } = seen;
  const isExact = since === "exact" ? 1 : 0;
  const digest = digestHolder(seen);
  if (leftMs === undefined) return [digest, count, seq, firstSeenMs, isExact];
  return [digest, count, seq, firstSeenMs, isExact, roundTime(leftMs === null ? null : asOf + leftMs)];
}

function roundTime(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}

/**
 * Restores a stored hold with only those holders that also appear in the observation. The index decides whether the
 * observed hold is the stored hold when the index applies the observation.
 *
 * @param text the result of `formatHoldEvidence`
 * @returns `undefined` if the text is invalid, if none of the observed holders is stored, or if Redis's clock was set
 *   back
 */
export function restoreHold(
  text: string,
  observation: HeldObservation,
  getEpoch: (holder: SeenHolder) => number,
): ObservedHold | undefined {
  const stored = parseStoredHold(text);
  if (stored === undefined) return undefined;
  const [, [asOf, endsAtMs, longestMs], , , storedHolders] = stored;
  const sinceTimes = [stored[2][0], ...storedHolders.map(([, , , firstSeenMs]) => firstSeenMs)];
  if (asOf > observation.asOf + CLOCK_STEP_MS || Math.max(...sinceTimes) > asOf) return undefined;
  const [first, ...others] = matchHolders(observation, storedHolders, asOf, getEpoch);
  if (first === undefined) return undefined;
  const holders: ObservedHold["holders"] = [first, ...others];
  const seen: HeldObservation = {
    ...observation,
    asOf,
    state: "held",
    remainingMs: endsAtMs === null ? null : endsAtMs - asOf,
    holders: [first.seen, ...others.map((holder) => holder.seen)],
  };
  const renewals = toRenewalHistory(stored);
  const liveness = assessLiveness({ seen, renewals });
  const { key } = observation;
  const continuityId = STORED_CONTINUITY_ID;
  // The reading that continues the hold sets the actual value of `isListed`.
  return { key, seen, holders, continuityId, endsAtMs, longestMs, isListed: true, renewals, liveness };
}

function parseStoredHold(text: string): StoredHold | undefined {
  if (text.length > TEXT_CHARACTERS_MAX) return undefined;
  try {
    return StoredHold.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function matchHolders(
  observation: HeldObservation,
  stored: StoredHold[4],
  asOf: number,
  getEpoch: (holder: SeenHolder) => number,
): ObservedHolder[] {
  const unmatched = [...stored];
  return observation.holders.flatMap((holder) => {
    const digest = digestHolder(holder);
    const at = unmatched.findIndex(([name]) => name === digest);
    const [found] = at < 0 ? [] : unmatched.splice(at, 1);
    if (found === undefined) return [];
    const [, count, seq, firstSeenMs, isExact, endsAtMs] = found;
    const own = endsAtMs === undefined ? {} : { ownRemainingMs: endsAtMs === null ? null : endsAtMs - asOf };
    const since = isExact === 1 ? ("exact" as const) : ("at_least" as const);
    const seen: SeenHolder = { ...holder, count, seq, ...own };
    return [{ seen, epoch: getEpoch(holder), firstSeenMs, since, ambiguousExits: 0 }];
  });
}

function toRenewalHistory([, , renewals, lease]: StoredHold): RenewalHistory {
  const [sinceMs, count, lastAt, intervalsMs, countedFrom] = renewals;
  const [leaseMs, leaseBeganAt, isExtended] = lease;
  return {
    ...{ sinceMs, count, lastAt, intervalsMs, steadyIntervalMs: findSteadyInterval(intervalsMs) },
    ...{ countedFrom, leaseMs, leaseBeganAt },
    ...(isExtended === 1 ? { isExtended: true } : {}),
  };
}
