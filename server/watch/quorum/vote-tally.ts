import type { Key } from "../../../lib/keys/key.ts";
import type {
  FreeObservation,
  HeldObservation,
  NotALockObservation,
  ReadableObservation,
  SeenVotes,
} from "../../formats/observation.ts";
import { findLargestRedLock, isPlainRedissonHold, isRedLockPart } from "../../formats/redisson/red-lock.ts";
import { computeMajority, groupLargestFirst } from "../../redis/majority.ts";
import { isFenceOpen, mergeDifferentOwners, mergeRedLock, mergeSameOwner } from "./merge-votes.ts";

/**
 * The combined state of one key on the masters of a quorum. `undecided`: the outcome depends on masters whose votes are
 * unknown. `fence: "open"`: a majority votes for a Lockkeeper hold but has not yet agreed on its fencing token.
 */
export type VoteTally =
  | {
      readonly outcome: "held";
      readonly seen: HeldObservation & { readonly votes: SeenVotes };
      readonly fence: "agreed" | "open";
    }
  | { readonly outcome: "free"; readonly seen: FreeObservation & { readonly votes: SeenVotes } }
  | { readonly outcome: "not_a_lock"; readonly seen: NotALockObservation }
  | { readonly outcome: "undecided"; readonly votes: SeenVotes };

/** Data from earlier observations of the key. */
export interface TallyContext {
  /**
   * Start time (`performance.now()`) of each vote, in the same order as the masters. `undefined` if Lockkeeper did
   * not observe the start.
   */
  readonly begunAt?: readonly (number | undefined)[];
  /** The hold according to the last decision. */
  readonly before?: HeldObservation | undefined;
}

/**
 * Combines the observations of a quorum's masters into one state of the key. An owner with a majority of all masters
 * holds the lock. The lock is free if no owner can have a majority. Ended locks, and values that are not locks, are not
 * votes for an owner. If a majority of the masters stores a value that is not a lock, the key is not a lock.
 *
 * Votes with different owner strings form one hold if they can belong to a RedLock (see red-lock.ts). If they cannot,
 * but together block a majority of the masters, the result is a hold with different owners, because no client can
 * acquire the lock.
 *
 * @param seen the observation on each master at `asOf`; `undefined` if unknown
 */
export function tallyVotes(
  key: Key,
  seen: readonly (ReadableObservation | undefined)[],
  asOf: number,
  context: TallyContext = {},
): VoteTally {
  const of = seen.length;
  const majority = computeMajority(of);
  const known = seen.filter((each) => each !== undefined);
  const unknown = of - known.length;
  const held = known.flatMap((each) => (each.state === "held" ? [each] : []));
  const [same] = groupLargestFirst(held, formatHoldIdentity);
  const nonLocks = known.filter((each) => each.state === "not_a_lock");
  const redLock = findRedLock(seen, context);
  const most = Math.max(same?.length ?? 0, nonLocks.length, redLock?.group.length ?? 0);
  const votes = { of, known: known.length, owners: listOwners(held, redLock) };
  if (most < majority && most + unknown >= majority)
    return { outcome: "undecided", votes: { ...votes, state: "undecided", agreement: "none" } };
  const decided = { ...votes, state: "decided" } as const;
  const toHeld = (hold: HeldObservation, agreement: SeenVotes["agreement"]) =>
    ({ outcome: "held", seen: { ...hold, key, asOf, votes: { ...decided, agreement } } }) as const;
  if (same !== undefined && same.length >= majority) {
    const fence = isFenceOpen(same, majority) ? "open" : "agreed";
    return { ...toHeld(mergeSameOwner(same, majority, context.before), "same_owner"), fence };
  }
  if (redLock !== undefined && redLock.group.length >= majority) {
    const hold = mergeRedLock(redLock.group, majority, redLock.token);
    return { ...toHeld(hold, "owner_per_master"), fence: "agreed" };
  }
  const [other] = nonLocks;
  if (other !== undefined && most >= majority)
    return { outcome: "not_a_lock", seen: { ...other, key, asOf } };
  const [first, ...others] = held.filter(isBlockingHold);
  if (first !== undefined && others.length + 1 >= majority) {
    const hold = mergeDifferentOwners([first, ...others], majority, known.map(computeFreeInMs));
    return { ...toHeld(hold, "different_owners"), fence: "agreed" };
  }
  return { outcome: "free", seen: { state: "free", key, asOf, votes: { ...decided, agreement: "none" } } };
}

/** Returns a string that identifies a hold. The votes for a hold have the same string, except those for a RedLock. */
export function formatHoldIdentity({ type, holders }: Pick<HeldObservation, "type" | "holders">): string {
  return [type, ...holders.map(({ token, role }) => `${role ?? ""} ${token}`).toSorted()].join("\0");
}

/** Returns whether an observation on one master is a vote for this hold. */
export function isVoteFor(vote: HeldObservation, hold: HeldObservation): boolean {
  const { ownersPerMaster } = hold.holders[0];
  if (ownersPerMaster === undefined) return formatHoldIdentity(vote) === formatHoldIdentity(hold);
  return vote.holders.length === 1 && ownersPerMaster.includes(vote.holders[0].token);
}

interface RedLockVotes {
  readonly group: readonly [HeldObservation, ...HeldObservation[]];
  /** The token that identifies the hold. It stays the same when masters start or stop voting for the hold. */
  readonly token: Key;
}

function findRedLock(
  seen: readonly (ReadableObservation | undefined)[],
  { begunAt = [], before }: TallyContext,
): RedLockVotes | undefined {
  const parts = seen.flatMap((each, at) =>
    each?.state === "held" && isRedLockPart(each) ? [{ seen: each, begunAt: begunAt[at] }] : [],
  );
  const [first, ...others] = findLargestRedLock(parts).map((part) => part.seen);
  if (first === undefined) return undefined;
  const owners = [first, ...others].map(({ holders: [{ token }] }) => token);
  const known = before?.holders.find(({ token, ownersPerMaster = [token] }) =>
    ownersPerMaster.some((owner) => owners.includes(owner)),
  );
  return { group: [first, ...others], token: known?.token ?? owners[0] ?? "" };
}

/** Returns each owner with its number of votes, most votes first. All votes of a RedLock count for one owner. */
function listOwners(
  held: readonly HeldObservation[],
  redLock: RedLockVotes | undefined,
): SeenVotes["owners"] {
  const parts = new Set(redLock?.group);
  const groups = groupLargestFirst(held, (each) => (parts.has(each) ? "" : formatHoldIdentity(each)));
  return groups.map((group) => ({
    owner: redLock !== undefined && parts.has(group[0]) ? redLock.token : findLabel(group),
    masters: group.length,
  }));
}

/** Returns the owner of a group of votes. Prefers a vote with a companion, because a vote without one has no label. */
function findLabel(group: readonly [HeldObservation, ...HeldObservation[]]): Key {
  const labelled = group.find(({ holders: [{ fence }] }) => fence !== null) ?? group[0];
  return labelled.holders[0].owner;
}

/** Whether a vote blocks its master. A possible lock without a TTL does not count, because it may be other data. */
const isBlockingHold = (hold: HeldObservation) =>
  isPlainRedissonHold(hold) && (hold.confidence !== "possible" || isRedLockPart(hold));

/** Returns the time, in ms, until the lock can be acquired on a master with this observation; `Infinity` if never. */
function computeFreeInMs(seen: ReadableObservation): number {
  if (seen.state === "not_a_lock") return Number.POSITIVE_INFINITY;
  return seen.state === "held" ? (seen.remainingMs ?? Number.POSITIVE_INFINITY) : 0;
}
