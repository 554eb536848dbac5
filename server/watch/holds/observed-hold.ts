import type { Holder } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import type { LivenessAssessment } from "./liveness.ts";
import type { Recurrence } from "./recurrence.ts";
import type { RenewalHistory } from "./renewal-history.ts";

/** One holder of an indexed lock. */
export interface ObservedHolder {
  readonly seen: SeenHolder;
  /** A number that increases with every new hold of any key. Distinguishes holds that have the same owner string. */
  readonly epoch: number;
  /**
   * Time of the first observation of the hold, on the Redis clock. Reset when the holder may have left the lock and
   * acquired it again.
   */
  readonly firstSeenMs: number;
  readonly since: "exact" | "at_least";
  /** Number of times that this holder may have released the lock and acquired it again without being observed. */
  readonly ambiguousExits: number;
}

/** A held lock in the index: its last observation, and facts that only continuous observation provides. */
export interface ObservedHold {
  readonly key: Key;
  readonly seen: HeldObservation;
  /** The holders of `seen`, in the same order. */
  readonly holders: readonly [ObservedHolder, ...ObservedHolder[]];
  /** The id of the period of uninterrupted observation to which the last read belongs. */
  readonly continuityId: string;
  /**
   * Time at which the lock expires, on the Redis clock; `null` if the lock has no TTL. Differences within the clock
   * tolerance are ignored.
   */
  readonly endsAtMs: number | null;
  /** The longest TTL observed for this hold, in ms; `null` if no TTL was observed. */
  readonly longestMs: number | null;
  readonly renewals: RenewalHistory;
  /** The liveness as of the last read. */
  readonly liveness: LivenessAssessment;
  /**
   * Whether lists, counts and events include the lock. False for a possible lock (one that only the key name or value
   * suggests) if its key is not lockable and no rule sets its format.
   */
  readonly isListed: boolean;
  /**
   * Set if a read found the same owner again after the key was reported as removed. `undefined` for nearly all holds.
   */
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

/**
 * Returns the remaining time of a holder in ms, or `null` if the holder has no TTL. A holder that does not expire
 * separately has the remaining time of the lock.
 */
export function getRemainingMs({ seen }: ObservedHold, holder: ObservedHolder): number | null {
  return holder.seen.ownRemainingMs === undefined ? seen.remainingMs : holder.seen.ownRemainingMs;
}

/** Returns the time at which a holder expires, on the Redis clock, or `null` if the holder has no TTL. */
export function getHolderEndsAtMs(hold: ObservedHold, holder: ObservedHolder): number | null {
  const remainingMs = getRemainingMs(hold, holder);
  return remainingMs === null ? null : hold.seen.asOf + remainingMs;
}

export function getLeaseMs({ seen, longestMs }: ObservedHold): number | null {
  return seen.holders[0].leaseMs ?? longestMs;
}
