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
 * What the masters of a quorum show together. `undecided`: those that are not known may decide it either way.
 * `fence: "open"`: a majority has a hold of ours, and has not agreed on its fencing token yet.
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

/** What is known of the votes besides what the masters show now. */
export interface TallyContext {
  /** When each vote began, by performance.now(), in the order of the masters; undefined: it was there before. */
  readonly begunAt?: readonly (number | undefined)[];
  /** The hold that was decided last. */
  readonly before?: HeldObservation | undefined;
}

/**
 * Counts votes. A lock is held by whom a majority of all masters has, until that majority ends; it is free where nobody
 * can have one. What is no lock, or has ended, is nobody's vote.
 *
 * Owner strings that differ make one hold where they can be a RedLock (see red-lock.ts). Where they cannot, and take a
 * majority of the masters, the lock is held by different owners: it is not free to acquire.
 *
 * @param seen what each master shows at the moment `asOf`; undefined: not known
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
  const strange = known.filter((each) => each.state === "not_a_lock");
  const redLock = findRedLock(seen, context);
  const most = Math.max(same?.length ?? 0, strange.length, redLock?.group.length ?? 0);
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
  const [other] = strange;
  if (other !== undefined && most >= majority)
    return { outcome: "not_a_lock", seen: { ...other, key, asOf } };
  const [first, ...others] = held.filter(isBlockingHold);
  if (first !== undefined && others.length + 1 >= majority) {
    const hold = mergeDifferentOwners([first, ...others], majority, known.map(computeFreeInMs));
    return { ...toHeld(hold, "different_owners"), fence: "agreed" };
  }
  return { outcome: "free", seen: { state: "free", key, asOf, votes: { ...decided, agreement: "none" } } };
}

/** Whose hold it is; the same at each master that votes for it. */
export function formatHoldIdentity({ type, holders }: Pick<HeldObservation, "type" | "holders">): string {
  return [type, ...holders.map(({ token, role }) => `${role ?? ""} ${token}`).toSorted()].join("\0");
}

/** Whether what one master shows is a vote for this hold. */
export function isVoteFor(vote: HeldObservation, hold: HeldObservation): boolean {
  const { ownersPerMaster } = hold.holders[0];
  if (ownersPerMaster === undefined) return formatHoldIdentity(vote) === formatHoldIdentity(hold);
  return vote.holders.length === 1 && ownersPerMaster.includes(vote.holders[0].token);
}

interface RedLockVotes {
  readonly group: readonly [HeldObservation, ...HeldObservation[]];
  /** What names the hold: the same while masters join it and leave it. */
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

/** Most votes first. Votes of a RedLock count together. */
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

/** A master that has lost the companion knows the token alone. */
function findLabel(group: readonly [HeldObservation, ...HeldObservation[]]): Key {
  const labelled = group.find(({ holders: [{ fence }] }) => fence !== null) ?? group[0];
  return labelled.holders[0].owner;
}

/** What looks like a lock of Redisson by its shape alone may be data. */
const isBlockingHold = (hold: HeldObservation) =>
  isPlainRedissonHold(hold) && (hold.confidence !== "possible" || isRedLockPart(hold));

/** When a master that shows this can be acquired, in ms. */
function computeFreeInMs(seen: ReadableObservation): number {
  if (seen.state === "not_a_lock") return Number.POSITIVE_INFINITY;
  return seen.state === "held" ? (seen.remainingMs ?? Number.POSITIVE_INFINITY) : 0;
}
