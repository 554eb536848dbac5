import { isSharedKind } from "../../../lib/contract/format.ts";
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
} from "./event-inference.ts";
import type { ForceReleasedHolds } from "./force-released-holds.ts";

interface HolderReading {
  readonly hold: ObservedHold | undefined;
  readonly isInitialScan: boolean;
}

/**
 * Lists the holders for which events are reported. Returns an empty list if the lock is free or its deadline has
 * passed. For an unlisted lock, returns only holders whose force-released hold was recreated by a library.
 */
export function listCurrentHolders(
  { hold, isInitialScan }: HolderReading,
  forced: ForceReleasedHolds,
): CurrentHolder[] {
  if (hold === undefined || hold.seen.state === "ended") return [];
  const holders = hold.holders.map((holder) => ({
    sharesEnd: hold.holders.length > 1 && holder.seen.ownRemainingMs === undefined,
    isInitialScan,
    wasForceReleased: forced.has(hold.seen, holder.seen, {
      startMs: getHoldStart(holder),
      leaseMs: getLeaseMs(hold),
    }),
    ...toHolderSnapshot(hold, holder),
  }));
  return hold.isListed ? holders : holders.filter(({ wasForceReleased }) => wasForceReleased);
}

/**
 * Returns the state of each holder as it was last reported. The last observation of the hold must already have been
 * reported. Omits ended holds.
 */
export function toReportedHolds(hold: ObservedHold): ReportedHold[] {
  if (hold.seen.state === "ended") return [];
  return hold.holders.map((holder) => toReportedHold(toHolderSnapshot(hold, holder))).filter(isOpen);
}

function toHolderSnapshot(hold: ObservedHold, holder: ObservedHolder): HolderSnapshot {
  const { role } = holder.seen;
  return {
    holder: holder.seen,
    isShared: role === undefined ? isSharedKind(hold.seen.kind) : role === "read",
    epoch: holder.epoch,
    sinceMs: getHoldStart(holder),
    endsAtMs: getHolderEndsAtMs(hold, holder),
  };
}

/**
 * Returns the start of the hold, in Unix ms. Prefers an exact observed start to a start time in the owner string, which
 * comes from the client's clock and may be the time when the client began to wait.
 */
function getHoldStart(holder: ObservedHolder): number {
  const isSeen = holder.since === "exact" && holder.seen.sinceIs === "reported";
  return isSeen ? holder.firstSeenMs : getHolderSince(holder).since;
}
