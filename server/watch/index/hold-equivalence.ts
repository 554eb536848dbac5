import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import type { SeenVotes } from "../../formats/observation.ts";
import { getHolderSince, type ObservedHold, type ObservedHolder } from "../holds/observed-hold.ts";

/** Returns whether two observations of a hold produce the same display, filter results and sort order. */
export function isEquivalentHold(before: ObservedHold, after: ObservedHold): boolean {
  const [a, b] = [before.seen, after.seen];
  return (
    before.continuityId === after.continuityId &&
    before.endsAtMs === after.endsAtMs &&
    before.holders.length === after.holders.length &&
    before.holders.every((one, at) => isEquivalentHolder(one, after.holders[at])) &&
    a.state === b.state &&
    a.format === b.format &&
    a.kind === b.kind &&
    a.confidence === b.confidence &&
    before.isListed === after.isListed &&
    before.renewals.lastAt === after.renewals.lastAt &&
    before.liveness.state === after.liveness.state &&
    before.liveness.missedRenewals === after.liveness.missedRenewals &&
    a.permits?.available === b.permits?.available &&
    a.waiters?.count === b.waiters?.count &&
    a.waiters?.known === b.waiters?.known &&
    isSameVotes(a.votes, b.votes) &&
    isSameList(a.candidates, b.candidates)
  );
}

function isEquivalentHolder(one: ObservedHolder, two: ObservedHolder | undefined): boolean {
  return (
    one.epoch === two?.epoch &&
    one.ambiguousExits === two.ambiguousExits &&
    one.seen.count === two.seen.count &&
    one.seen.leaseMs === two.seen.leaseMs &&
    isSameList(one.seen.ownersPerMaster ?? [], two.seen.ownersPerMaster ?? []) &&
    getHolderSince(one).since === getHolderSince(two).since &&
    one.seen.receivesReleaseRequests === two.seen.receivesReleaseRequests &&
    one.seen.releaseRequested?.requestId === two.seen.releaseRequested?.requestId &&
    one.seen.releaseRequested?.state === two.seen.releaseRequested?.state &&
    isSameRecord(one.seen.record, two.seen.record)
  );
}

function isSameVotes(one: SeenVotes | undefined, two: SeenVotes | undefined): boolean {
  return (
    one === two ||
    (one?.known === two?.known &&
      one?.state === two?.state &&
      one?.agreement === two?.agreement &&
      isSameList(one?.owners.flatMap(Object.values) ?? [], two?.owners.flatMap(Object.values) ?? []))
  );
}

function isSameRecord(one: OwnerRecord = {}, two: OwnerRecord = {}): boolean {
  return one === two || isSameList(Object.entries(one).flat(), Object.entries(two).flat());
}

function isSameList(one: readonly unknown[], two: readonly unknown[]): boolean {
  return one === two || (one.length === two.length && one.every((each, at) => each === two[at]));
}
