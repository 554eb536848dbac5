import type { Key } from "../../../lib/keys/key.ts";
import type {
  FreeObservation,
  HeldObservation,
  NotALockObservation,
  ReadableObservation,
  SeenHolder,
  SeenVotes,
} from "../../formats/observation.ts";
import { computeMajority, groupLargestFirst, kthLargest, kthSmallest } from "../../redis/majority.ts";

/** What the masters of a quorum show together. `undecided`: those that are not known may decide it either way. */
export type VoteTally =
  | { readonly outcome: "held"; readonly seen: HeldObservation & { readonly votes: SeenVotes } }
  | { readonly outcome: "free"; readonly seen: FreeObservation & { readonly votes: SeenVotes } }
  | { readonly outcome: "not_a_lock"; readonly seen: NotALockObservation }
  | { readonly outcome: "undecided"; readonly votes: SeenVotes };

/**
 * Counts votes. A lock is held by whom a majority of all masters has, until that majority ends; it is free where nobody
 * can have one. What is no lock, or has ended, is nobody's vote.
 *
 * @param seen what each master shows at the moment `asOf`; undefined: not known
 */
export function tallyVotes(
  key: Key,
  seen: readonly (ReadableObservation | undefined)[],
  asOf: number,
): VoteTally {
  const of = seen.length;
  const majority = computeMajority(of);
  const known = seen.filter((each) => each !== undefined);
  const groups = groupLargestFirst(
    known.flatMap((each) => (each.state === "held" ? [each] : [])),
    formatHoldIdentity,
  );
  const strange = known.filter((each) => each.state === "not_a_lock");
  const owners = groups.map((group) => ({ owner: findLabel(group), masters: group.length }));
  const votes: SeenVotes = { of, known: known.length, state: "decided", owners };
  const [first] = groups;
  const most = Math.max(first?.length ?? 0, strange.length);
  if (most + of - known.length >= majority && most < majority) {
    return { outcome: "undecided", votes: { ...votes, state: "undecided" } };
  }
  if (first !== undefined && first.length >= majority) {
    return { outcome: "held", seen: { ...mergeHeldObservations(first, majority), key, asOf, votes } };
  }
  const [other] = strange;
  if (other !== undefined && most >= majority)
    return { outcome: "not_a_lock", seen: { ...other, key, asOf } };
  return { outcome: "free", seen: { state: "free", key, asOf, votes } };
}

/** Whose hold it is; the same at each master that votes for it. */
export function formatHoldIdentity({ type, holders }: Pick<HeldObservation, "type" | "holders">): string {
  return [type, ...holders.map(({ token, role }) => `${role ?? ""} ${token}`).toSorted()].join("\0");
}

/** A master that has lost the companion knows the token alone. */
function findLabel(group: readonly [HeldObservation, ...HeldObservation[]]): Key {
  const labelled = group.find(({ holders: [{ fence }] }) => fence !== null) ?? group[0];
  return labelled.holders[0].owner;
}

function mergeHeldObservations(
  group: readonly [HeldObservation, ...HeldObservation[]],
  majority: number,
): HeldObservation {
  const fence = chooseFence(group, majority);
  const chosen = group.find(({ holders: [holder] }) => holder.fence === fence) ?? group[0];
  const [first, ...others] = chosen.holders;
  const together = (holder: SeenHolder) => mergeHolder(holder, group, majority);
  return {
    ...chosen,
    holders: [together(first), ...others.map(together)],
    remainingMs: computeMajorityRemainingMs(
      group.map(({ remainingMs }) => remainingMs),
      majority,
    ),
  };
}

/** What a majority agreed on; while it does not yet, the highest, on which it is about to. */
function chooseFence(group: readonly HeldObservation[], majority: number): string | null {
  const fences = group.flatMap(({ holders: [{ fence }] }) => (fence === null ? [] : [fence]));
  const [most] = groupLargestFirst(fences, (fence) => fence);
  if (most !== undefined && most.length >= majority) return most[0];
  return fences.reduce<string | null>(
    (one, other) => (one === null || BigInt(other) > BigInt(one) ? other : one),
    null,
  );
}

function mergeHolder(holder: SeenHolder, group: readonly HeldObservation[], majority: number): SeenHolder {
  const same = group.flatMap(
    ({ holders }) => holders.find(({ token, role }) => token === holder.token && role === holder.role) ?? [],
  );
  const pickMajorityValue = (values: readonly number[]) => kthSmallest(values, majority);
  const count = pickMajorityValue(same.map((each) => each.count));
  const seq = pickMajorityValue(same.map((each) => each.seq));
  const together = { ...holder, count, seq, isVoted: true } as const;
  const own = same.flatMap(({ ownRemainingMs }) => (ownRemainingMs === undefined ? [] : [ownRemainingMs]));
  return own.length < majority
    ? together
    : { ...together, ownRemainingMs: computeMajorityRemainingMs(own, majority) };
}

/** null: never. */
function computeMajorityRemainingMs(remaining: readonly (number | null)[], majority: number): number | null {
  const ms = kthLargest(
    remaining.map((each) => each ?? Number.POSITIVE_INFINITY),
    majority,
  );
  return Number.isFinite(ms) ? ms : null;
}
