import type { Drift, Model, Operation } from "./linearize.ts";

/** A lock as a sentence of the specification: who has it, how often, and the last fence. */
export interface Lock {
  readonly owner: string | undefined;
  readonly count: number;
  readonly fence: bigint;
  /** Of the count, what its owner has not heard of: it is taken back at some time. */
  readonly unacknowledged: number;
  /** Whether the fence is of this hold: its owner heard of one, and it is told no other. */
  readonly of: "this_hold" | "an_earlier_one";
}

export const FREE: Lock = { owner: undefined, count: 0, fence: 0n, unacknowledged: 0, of: "an_earlier_one" };
/** Whoever was granted a lock and never heard of it: all of them are alike. */
const NOBODY_KNOWN = "";

type Step = Operation<Lock>["step"];

const toFreeLock = ({ fence }: Lock): Lock => ({ ...FREE, fence });

export const createGrantStep =
  (owner: string, count: number, fence: bigint): Step =>
  (lock) => {
    const hold = { ...lock, owner, count, fence, of: "this_hold" } as const;
    if (lock.owner === undefined) return count === 1 && fence > lock.fence ? hold : undefined;
    if (lock.owner !== owner || count !== lock.count + 1) return undefined;
    const isRight = lock.of === "this_hold" ? fence === lock.fence : fence > lock.fence;
    return isRight ? hold : undefined;
  };

/** It may have been granted, and the answer was lost. */
export const createPossibleGrantStep =
  (owner: string): Step =>
  (lock) => {
    const count = lock.count + 1;
    const unacknowledged = lock.unacknowledged + 1;
    if (lock.owner !== undefined)
      return lock.owner === owner ? { ...lock, count, unacknowledged } : undefined;
    return { ...lock, owner, count, unacknowledged, of: "an_earlier_one" };
  };

/** The same, to somebody of whom nothing else is known. */
export const applyAnonymousGrant: Step = (lock) =>
  lock.owner === undefined ? createPossibleGrantStep(NOBODY_KNOWN)(lock) : undefined;

export const createRefusalStep =
  (asking: string): Step =>
  (lock) =>
    lock.owner !== undefined && lock.owner !== asking ? lock : undefined;

export const createReleaseStep =
  (owner: string, left?: number): Step =>
  (lock) => {
    if (lock.owner !== owner || (left !== undefined && lock.count - 1 !== left)) return undefined;
    if (lock.count === 1) return toFreeLock(lock);
    return { ...lock, count: lock.count - 1, unacknowledged: Math.min(lock.unacknowledged, lock.count - 1) };
  };

export const createDenialStep =
  (owner: string): Step =>
  (lock) =>
    lock.owner === owner ? undefined : lock;

export const createRenewalStep =
  (owner: string): Step =>
  (lock) =>
    lock.owner === owner ? lock : undefined;

export const createMiscountStep =
  (owner: string): Step =>
  (lock) =>
    lock.owner === owner && lock.count > 1 ? { ...lock, count: 1, unacknowledged: 0 } : undefined;

export const createEvictionStep =
  (owner: string): Step =>
  (lock) =>
    lock.owner === owner ? toFreeLock(lock) : undefined;

export const applyWipe: Step = (lock) => (lock.owner === undefined ? undefined : toFreeLock(lock));

export const applyFenceWipe: Step = ({ owner, fence }) =>
  owner === undefined && fence === 0n ? undefined : FREE;

/** A hold, as the end of its lease finds it. */
export interface Lease {
  readonly owner: string;
  readonly fence: bigint;
  readonly mayEndAt: number;
}

export function createLockModel(leases: readonly Lease[]): Model<Lock> {
  const ends = new Map<string, number>();
  for (const { owner, fence, mayEndAt } of leases) {
    const name = `${owner} ${fence}`;
    ends.set(name, Math.min(mayEndAt, ends.get(name) ?? Number.POSITIVE_INFINITY));
  }
  return {
    first: [FREE],
    formatName: ({ owner, count, fence, unacknowledged, of }) =>
      `${owner} ${count} ${fence} ${unacknowledged} ${of}`,
    listDrifts: (lock) => [...listExpiries(lock, ends), ...listRollbacks(lock)],
  };
}

/** What a lock may be of which nothing is known but some owners, their leases, and a fence that is not above its own. */
export function listPossibleLocks(owners: readonly string[], leases: readonly Lease[], fence = 0n): Lock[] {
  const held = [...new Set([NOBODY_KNOWN, ...owners])].flatMap((owner) => {
    const own = leases.filter((lease) => lease.owner === owner && lease.fence >= fence);
    const fences = [...new Set(own.map((lease) => lease.fence))];
    return [
      { owner, fence, of: "an_earlier_one" as const },
      ...fences.map((each) => ({ owner, fence: each, of: "this_hold" as const })),
    ];
  });
  const counted = held.flatMap((hold) => COUNTS.map((count) => ({ ...hold, count, unacknowledged: count })));
  return [{ ...FREE, fence }, ...counted];
}
const COUNTS = [1, 2, 3, 4];

function listExpiries(lock: Lock, ends: ReadonlyMap<string, number>): Drift<Lock>[] {
  const from = lock.of === "this_hold" ? ends.get(`${lock.owner} ${lock.fence}`) : undefined;
  return from === undefined ? [] : [{ from, state: toFreeLock(lock) }];
}

function listRollbacks(lock: Lock): Drift<Lock>[] {
  if (lock.unacknowledged === 0) return [];
  const isLast = lock.count === 1;
  const left = { ...lock, count: lock.count - 1, unacknowledged: lock.unacknowledged - 1 };
  return [{ from: Number.NEGATIVE_INFINITY, state: isLast ? toFreeLock(lock) : left }];
}
