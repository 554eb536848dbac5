import type { HeldObservation, SeenHolder } from "../formats/observation.ts";
import { type HeldBy, type Hold, sinceOf } from "./hold.ts";
import { isCertain, isSameHolder } from "./identity.ts";
import { firstLook, nextLook } from "./renewals.ts";
import { verdictOf } from "./verdict.ts";

/** What was heard around a look. */
export interface Circumstances {
  /** Something said that the key was gone for a moment, so a hold that looks the same is another. */
  readonly wasGone: boolean;
  /** Something said that a holder left more often than holders are missing: one may have left and come back. */
  readonly isDoubtful?: boolean;
  /** How well we know when a hold that is new to us began. */
  readonly since: "exact" | "at_least";
  /** The stretch of time without a break in what we heard. */
  readonly sight: string;
}

/** The hold that a look shows: which holders are those of the look before, and what is known of them from then on. */
export function holdOf(
  before: Hold | undefined,
  seen: HeldObservation,
  circumstances: Circumstances,
  newEpoch: () => number,
): Hold {
  const known = new Known(before, seen);
  let isWatchedOn = false;
  const watchedOn = (was: HeldBy, holder: SeenHolder): HeldBy => {
    isWatchedOn = true;
    return { ...was, seen: holder };
  };
  const took = ({ wasGone, since }: Circumstances, holder: SeenHolder): HeldBy => ({
    ...{ seen: holder, epoch: newEpoch(), firstSeenMs: seen.asOf, doubts: 0 },
    since: wasGone ? "exact" : since,
  });
  const held = (holder: SeenHolder): HeldBy => {
    const was = known.take(holder);
    if (was !== undefined && isCertain(seen, holder)) return watchedOn(was, holder);
    if (was === undefined || circumstances.wasGone || known.hasEnded) return took(circumstances, holder);
    // The same owner may have let go and taken again while we did not hear.
    const isLost = before?.sight !== circumstances.sight;
    if (!isLost && !circumstances.isDoubtful) return watchedOn(was, holder);
    const doubts = was.doubts + (isLost ? 0 : 1);
    return { ...was, seen: holder, doubts, firstSeenMs: seen.asOf, since: "at_least" };
  };
  const [first, ...others] = seen.holders;
  const holders = [held(first), ...others.map(held)] as const;
  const { sight } = circumstances;
  const goesOn = holders.some(({ epoch }) => known.epochs.has(epoch));
  const longestMs = goesOn ? longerOf(before?.longestMs, seen.remainingMs) : seen.remainingMs;
  const renewals =
    before !== undefined && isWatchedOn
      ? nextLook(before, seen, longestMs, before.sight !== sight)
      : firstLook(seen, begunAt(holders));
  const hold = { key: seen.key, seen, holders, sight, longestMs, renewals };
  return { ...hold, verdict: verdictOf(hold) };
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
