import type { Holder } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import type { LivenessAssessment } from "./liveness.ts";
import type { Recurrence } from "./recurrence.ts";
import type { RenewalHistory } from "./renewal-history.ts";

/** One holder in the picture. */
export interface ObservedHolder {
  readonly seen: SeenHolder;
  /** Rises with every new hold of any key; names this one while its owner string recurs. */
  readonly epoch: number;
  /** When we first saw it, Redis's clock. */
  readonly firstSeenMs: number;
  readonly since: "exact" | "at_least";
  /** How often somebody left a shared lock and may have been this one, who then came back. */
  readonly ambiguousExits: number;
}

/** A held lock in the picture: what was last read, and what only watching can know. */
export interface ObservedHold {
  readonly key: Key;
  readonly seen: HeldObservation;
  /** Those of `seen`, in its order. */
  readonly holders: readonly [ObservedHolder, ...ObservedHolder[]];
  /** The stretch of time without a break in what we heard, in which it was last looked at. */
  readonly continuityId: string;
  /** When the lock ends, Redis's clock, null: never. Looks that differ by no more than clocks do leave it as it is. */
  readonly endsAtMs: number | null;
  /** The longest time to live seen of this hold. */
  readonly longestMs: number | null;
  readonly renewals: RenewalHistory;
  /** As of the last look. */
  readonly liveness: LivenessAssessment;
  /** False for a possible lock that lists, counts and events leave out: nothing but its shape and name says lock. */
  readonly isListed: boolean;
  /** undefined of nearly all holds: none of its holders came back. */
  readonly recurrence?: Recurrence | undefined;
}

export function getHolderSince({
  seen,
  firstSeenMs,
  since,
}: ObservedHolder): Pick<Holder, "sinceIs"> & { since: number } {
  if (seen.sinceMs === null) return { since: firstSeenMs, sinceIs: since };
  return { since: seen.sinceMs, sinceIs: seen.sinceIs ?? "exact" };
}

/** What is left to one holder at the look: its own time where holders end one by one, else the lock's. */
export function getRemainingMs({ seen }: ObservedHold, holder: ObservedHolder): number | null {
  return holder.seen.ownRemainingMs === undefined ? seen.remainingMs : holder.seen.ownRemainingMs;
}

/** When one holder's time ends, Redis's clock; null: never. */
export function getHolderEndsAtMs(hold: ObservedHold, holder: ObservedHolder): number | null {
  const remainingMs = getRemainingMs(hold, holder);
  return remainingMs === null ? null : hold.seen.asOf + remainingMs;
}

export function getLeaseMs({ seen, longestMs }: ObservedHold): number | null {
  return seen.holders[0].leaseMs ?? longestMs;
}
