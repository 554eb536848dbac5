import { endOf, type HeldBy, type Hold, leaseOf, sinceOf } from "../holds/observed-hold.ts";
import { isOpen, type Present, type Shown, type Tale, taleOf } from "./event-derivation.ts";
import type { Forced } from "./force-released-holds.ts";

interface Look {
  readonly hold: Hold | undefined;
  readonly isFirstLook: boolean;
}

/** Who holds the lock, for the story: nobody when its deadline has passed. */
export function presentsOf({ hold, isFirstLook }: Look, forced: Forced): Present[] {
  if (hold === undefined || hold.seen.state === "ended") return [];
  return hold.holders.map((holder) => ({
    ...shownOf(hold, holder),
    sharesEnd: hold.holders.length > 1 && holder.seen.ownRemainingMs === undefined,
    isFirstLook,
    wasForced: forced.has(hold.seen, holder.seen.owner, { beganMs: beganOf(holder), leaseMs: leaseOf(hold) }),
  }));
}

/** What has been told of a lock once a look at it was told. */
export function talesOf(hold: Hold): Tale[] {
  if (hold.seen.state === "ended") return [];
  return hold.holders.map((holder) => taleOf(shownOf(hold, holder))).filter(isOpen);
}

function shownOf(hold: Hold, holder: HeldBy): Shown {
  return {
    holder: holder.seen,
    epoch: holder.epoch,
    sinceMs: beganOf(holder),
    endsAtMs: endOf(hold, holder),
  };
}

/** What an owner string tells of its beginning is of another clock, and may be when its client began to wait. */
function beganOf(holder: HeldBy): number {
  const isSeen = holder.since === "exact" && holder.seen.sinceIs === "told";
  return isSeen ? holder.firstSeenMs : sinceOf(holder).since;
}
