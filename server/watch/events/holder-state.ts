import {
  getHolderEndsAtMs,
  getHolderSince,
  getLeaseMs,
  type ObservedHold,
  type ObservedHolder,
} from "../holds/observed-hold.ts";
import {
  type CurrentHolder,
  type HolderSnapshot,
  isOpen,
  type ReportedHold,
  toReportedHold,
} from "./event-derivation.ts";
import type { ForceReleasedHolds } from "./force-released-holds.ts";

interface HolderReading {
  readonly hold: ObservedHold | undefined;
  readonly isInitialScan: boolean;
}

/**
 * Lists the holders that events are about: nobody when the deadline has passed. Of a lock that is not listed only those
 * that an operator force-released, so that a hold that its library creates again is reported.
 */
export function listCurrentHolders(
  { hold, isInitialScan }: HolderReading,
  forced: ForceReleasedHolds,
): CurrentHolder[] {
  if (hold === undefined || hold.seen.state === "ended") return [];
  const holders = hold.holders.map((holder) => ({
    ...toHolderSnapshot(hold, holder),
    sharesEnd: hold.holders.length > 1 && holder.seen.ownRemainingMs === undefined,
    isInitialScan,
    wasForceReleased: forced.has(hold.seen, holder.seen, {
      startMs: getHoldStart(holder),
      leaseMs: getLeaseMs(hold),
    }),
  }));
  return hold.isListed ? holders : holders.filter(({ wasForceReleased }) => wasForceReleased);
}

/** What has been told of a lock once a look at it was told. */
export function toReportedHolds(hold: ObservedHold): ReportedHold[] {
  if (hold.seen.state === "ended") return [];
  return hold.holders.map((holder) => toReportedHold(toHolderSnapshot(hold, holder))).filter(isOpen);
}

function toHolderSnapshot(hold: ObservedHold, holder: ObservedHolder): HolderSnapshot {
  return {
    holder: holder.seen,
    epoch: holder.epoch,
    sinceMs: getHoldStart(holder),
    endsAtMs: getHolderEndsAtMs(hold, holder),
  };
}

/** What an owner string tells of its beginning is of another clock, and may be when its client began to wait. */
function getHoldStart(holder: ObservedHolder): number {
  const isSeen = holder.since === "exact" && holder.seen.sinceIs === "reported";
  return isSeen ? holder.firstSeenMs : getHolderSince(holder).since;
}
