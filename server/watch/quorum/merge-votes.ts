import { parseReservedOwner } from "../../../lib/contract/actions/reservation.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { groupLargestFirst, kthLargest, kthSmallest } from "../../redis/majority.ts";

/** The held observations of one or more masters that are merged into one observation. */
type HeldGroup = readonly [HeldObservation, ...HeldObservation[]];

/** Merges the votes for one owner into one hold with the count, fencing token and remaining time of a majority. */
export function mergeSameOwner(
  group: HeldGroup,
  majority: number,
  before: HeldObservation | undefined,
): HeldObservation {
  const [holder] = before?.holders ?? [];
  const known = holder?.token === group[0].holders[0].token ? holder.fence : null;
  const fence = chooseFence(group, majority, known);
  const chosen = group.find(({ holders: [each] }) => each.fence === fence) ?? group[0];
  const [first, ...others] = chosen.holders;
  const together = (each: SeenHolder) => mergeHolder(each, group, majority);
  return {
    ...chosen,
    holders: [{ ...together(first), fence }, ...others.map(together)],
    remainingMs: computeMajorityRemainingMs(
      group.map(({ remainingMs }) => remainingMs),
      majority,
    ),
  };
}

/**
 * Returns whether the votes for a Lockkeeper hold have several fencing tokens, none of which has a majority. Always
 * false for a reservation, because the masters do not agree on a fencing token for a reservation after a force-release.
 */
export function isFenceOpen(group: HeldGroup, majority: number): boolean {
  if (parseReservedOwner(group[0].holders[0].token) !== undefined) return false;
  const fences = listFences(group);
  const [most] = groupLargestFirst(fences, (fence) => fence);
  return new Set(fences).size > 1 && most !== undefined && most.length < majority;
}

const listFences = (group: readonly HeldObservation[]) =>
  group.flatMap(({ holders: [{ fence }] }) => (fence === null ? [] : [fence]));

/**
 * Returns the fencing token on which a majority agrees. If there is none, returns the highest token, because the
 * masters agree on the highest token.
 *
 * @param known the fencing token of the last decision, which may be stored only on a master that is now unreachable
 */
function chooseFence(group: HeldGroup, majority: number, known: string | null): string | null {
  const fences = listFences(group);
  const [most] = groupLargestFirst(fences, (fence) => fence);
  if (most === undefined || most.length >= majority) return most?.[0] ?? null;
  return fences.reduce<string | null>(
    (one, other) => (one === null || BigInt(other) > BigInt(one) ? other : one),
    known,
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

/**
 * Merges the votes of a RedLock into one hold, whose holder has one owner string per master.
 *
 * @param token the token that identifies the merged hold
 */
export function mergeRedLock(group: HeldGroup, majority: number, token: Key): HeldObservation {
  const [{ lastFence: _ofOneMaster, ...first }] = group;
  const ownersPerMaster = group.map(({ holders: [holder] }) => holder.token);
  const counts = group.map(({ holders: [holder] }) => holder.count);
  const count = kthSmallest(counts, Math.min(majority, counts.length));
  return {
    ...first,
    ...mergeWaiters(group),
    kind: group.find(({ kind }) => kind !== "lock")?.kind ?? "lock",
    holders: [{ ...first.holders[0], token, owner: token, ownersPerMaster, count, isVoted: true }],
    remainingMs: computeMajorityRemainingMs(
      group.map(({ remainingMs }) => remainingMs),
      majority,
    ),
  };
}

/**
 * Merges votes for different owners that together block the lock: no client holds the lock, and no client can acquire
 * it.
 *
 * @param freeInMs time, in ms, until the lock can be acquired, for each known master; `Infinity` if the key has no TTL
 */
export function mergeDifferentOwners(
  group: HeldGroup,
  majority: number,
  freeInMs: readonly number[],
): HeldObservation {
  const holders = group.map(
    ({ holders: [holder], remainingMs }): SeenHolder => ({
      ...{ ...holder, ownRemainingMs: remainingMs, isVoted: true },
    }),
  );
  const [{ lastFence: _ofOneMaster, ...chosen }] = group;
  const [first = chosen.holders[0], ...others] = holders;
  const ms = kthSmallest(freeInMs, majority);
  return {
    ...chosen,
    ...mergeWaiters(group),
    kind: "lock",
    holders: [first, ...others],
    remainingMs: Number.isFinite(ms) ? ms : null,
  };
}

/** Adds up the numbers of waiters on all masters, because a client waits on only one master at a time. */
function mergeWaiters(group: HeldGroup): Pick<HeldObservation, "waiters"> {
  const counts = group.flatMap(({ waiters }) => waiters?.count ?? []);
  if (counts.length === 0) return {};
  return { waiters: { count: counts.reduce((sum, count) => sum + count), known: "estimated" } };
}

/** Returns the time, in ms, until fewer votes than a majority are left, or `null` if a majority of them has no TTL. */
function computeMajorityRemainingMs(remaining: readonly (number | null)[], majority: number): number | null {
  const ms = kthLargest(
    remaining.map((each) => each ?? Number.POSITIVE_INFINITY),
    majority,
  );
  return Number.isFinite(ms) ? ms : null;
}
