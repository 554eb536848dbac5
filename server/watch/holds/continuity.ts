import type { HeldObservation, Observation, SeenHolder } from "../../formats/observation.ts";
import { NO_SIGHT } from "./hold-version.ts";
import { isCertain, isSameHolder } from "./holder-identity.ts";
import { judge } from "./liveness.ts";
import { type HeldBy, type Hold, sinceOf } from "./observed-hold.ts";
import { firstLook, nextLook, TOLERANCE_MS } from "./renewal-history.ts";

/** What was heard around a look. */
export interface Circumstances {
  /** Something said that the key was gone for a moment, so a hold that looks the same is another. */
  readonly wasGone: boolean;
  /** Something said that a holder left more often than holders are missing: one may have left and come back. */
  readonly isDoubtful?: boolean;
  /** An operator prolonged it: that tells nothing of its holder. */
  readonly isExtended?: boolean;
  /** How well we know when a hold that is new to us began. */
  readonly since: "exact" | "at_least";
  /** The stretch of time without a break in what we heard. */
  readonly sight: string;
}

/** Lists of formats that come with locks, few and the same ones again and again: each is kept once. */
const LISTS = new Map<string, HeldObservation["candidates"]>();

function sharedListOf(candidates: HeldObservation["candidates"]): HeldObservation["candidates"] {
  const name = candidates.join(" ");
  const known = LISTS.get(name) ?? [...candidates];
  LISTS.set(name, known);
  return known;
}

/**
 * As it is kept, for as long as the lock is held: what is put together by spreading takes twice the room, and there may
 * be a million of them. Rare things stay as they are.
 */
function compact(observation: HeldObservation): HeldObservation {
  const { state, key, asOf, type, format, kind, confidence, remainingMs, waiters } = observation;
  const { isChosen, permits, lastFence, votes } = observation;
  const [first, second] = observation.holders;
  if ((isChosen ?? permits ?? lastFence ?? votes ?? second) !== undefined) return observation;
  const holders: HeldObservation["holders"] = [first];
  const candidates = sharedListOf(observation.candidates);
  if (waiters === undefined) {
    return { state, key, asOf, type, format, candidates, kind, confidence, holders, remainingMs };
  }
  return { state, key, asOf, type, format, candidates, kind, confidence, holders, remainingMs, waiters };
}

/** The hold that a look shows: which holders are those of the look before, and what is known of them from then on. */
export function holdOf(
  before: Hold | undefined,
  observation: HeldObservation,
  circumstances: Circumstances,
  newEpoch: () => number,
): Hold {
  const seen = compact(observation);
  if (before !== undefined && isPlainlySame(before, seen, circumstances)) {
    return nextOf(before, seen, [heldOn(before.holders[0], seen.holders[0])], circumstances);
  }
  const known = new Known(before, seen);
  let isWatchedOn = false;
  const held = (holder: SeenHolder): HeldBy => {
    const was = known.take(holder);
    if (was === undefined) return took(holder, seen, circumstances, newEpoch());
    const isSure = isCertain(seen, holder);
    if (!isSure && (circumstances.wasGone || known.hasEnded))
      return took(holder, seen, circumstances, newEpoch());
    // The same owner may have let go and taken again while we did not hear.
    const isLost = before?.sight !== circumstances.sight;
    if (isSure || (!isLost && !circumstances.isDoubtful)) {
      isWatchedOn = true;
      return heldOn(was, holder);
    }
    const doubts = was.doubts + (isLost ? 0 : 1);
    return { ...was, seen: holder, doubts, firstSeenMs: seen.asOf, since: "at_least" };
  };
  const [first, ...others] = seen.holders;
  // One by one from a list takes more room than one: it is grown as if more were to come.
  const holders: Hold["holders"] = others.length === 0 ? [held(first)] : [held(first), ...others.map(held)];
  const { sight } = circumstances;
  const goesOn = holders.some(({ epoch }) => known.epochs.has(epoch));
  if (before !== undefined && isWatchedOn) return nextOf(before, seen, holders, circumstances);
  const longestMs = goesOn ? longerOf(before?.longestMs, seen.remainingMs) : seen.remainingMs;
  const renewals = firstLook(seen, begunAt(holders));
  const endsAtMs = endOf(before, seen);
  const judgement = judge({ seen, renewals });
  return { key: seen.key, seen, holders, sight, endsAtMs, longestMs, renewals, judgement };
}

/** Nearly all looks show one holder, who was there before, and nothing that was heard speaks against it. */
function isPlainlySame(before: Hold, seen: HeldObservation, circumstances: Circumstances): boolean {
  const { wasGone, isDoubtful, sight } = circumstances;
  return (
    !wasGone &&
    !isDoubtful &&
    sight === before.sight &&
    before.seen.state === seen.state &&
    before.holders.length === 1 &&
    seen.holders.length === 1 &&
    isSameHolder(before.holders[0].seen, seen.holders[0])
  );
}

/** A hold that is watched on. */
function nextOf(
  before: Hold,
  seen: HeldObservation,
  holders: Hold["holders"],
  { sight, isExtended = false }: Circumstances,
): Hold {
  const longestMs = longerOf(before.longestMs, seen.remainingMs);
  const isBroken = sight !== before.sight;
  const renewals = nextLook(before, seen, longestMs, { isBroken, isExtended });
  const judgement = judge({ seen, renewals });
  const endsAtMs = endOf(before, seen);
  return { key: seen.key, seen, holders, sight, endsAtMs, longestMs, renewals, judgement };
}

/** As it was told before, where the difference is that of clocks: else every look would be a change of order. */
function endOf(before: Hold | undefined, { asOf, remainingMs }: HeldObservation): number | null {
  const known = before?.endsAtMs;
  if (remainingMs === null) return null;
  const endsAtMs = asOf + remainingMs;
  return known != null && Math.abs(known - endsAtMs) <= TOLERANCE_MS ? known : endsAtMs;
}

function heldOn({ epoch, firstSeenMs, since, doubts }: HeldBy, seen: SeenHolder): HeldBy {
  return { seen, epoch, firstSeenMs, since, doubts };
}

function took(
  holder: SeenHolder,
  { asOf }: HeldObservation,
  { wasGone, since }: Circumstances,
  epoch: number,
): HeldBy {
  return { seen: holder, epoch, firstSeenMs: asOf, since: wasGone ? "exact" : since, doubts: 0 };
}

/** When the one who holds the lock began, where that is known to the moment. */
function begunAt([first, second]: Hold["holders"]): number | null {
  if (second !== undefined) return null;
  const { since, sinceIs } = sinceOf(first);
  return sinceIs === "exact" ? since : first.since === "exact" ? first.firstSeenMs : null;
}

function longerOf(before: number | null | undefined, remainingMs: number | null): number | null {
  return Math.max(before ?? 0, remainingMs ?? 0) || null;
}

/** The holders of the look before, each to be found again once. */
class Known {
  readonly hasEnded: boolean;
  readonly epochs: ReadonlySet<number>;
  readonly #left: HeldBy[];

  constructor(before: Hold | undefined, seen: HeldObservation) {
    this.#left = [...(before?.holders ?? [])];
    this.epochs = new Set(this.#left.map(({ epoch }) => epoch));
    // Free to take in between, so it was taken again.
    this.hasEnded = before?.seen.state === "ended" && seen.state === "held";
  }

  take(holder: SeenHolder): HeldBy | undefined {
    const at = this.#left.findIndex(({ seen }) => isSameHolder(seen, holder));
    return at < 0 ? undefined : this.#left.splice(at, 1)[0];
  }
}

/** A hold that nobody watches: known from one look only. */
export function passingHoldOf(observation: Observation): Hold | undefined {
  if (observation.state !== "held" && observation.state !== "ended") return undefined;
  return holdOf(undefined, observation, { wasGone: false, since: "at_least", sight: NO_SIGHT }, () => 0);
}
