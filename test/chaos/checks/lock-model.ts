import type { Drift, Model, Operation } from "./linearize.ts";

/** The state of a lock in the model: its hold, the count of the hold, and the last fence. */
export interface Lock {
  readonly token: string | undefined;
  readonly count: number;
  readonly fence: bigint;
  /** How much of the count the holder does not know about. This part may be undone at any time. */
  readonly unacknowledged: number;
  /**
   * Which hold the fence belongs to. A holder that has received a fence for its hold never receives a different one.
   */
  readonly of: "this_hold" | "an_earlier_one";
}

export const FREE: Lock = { token: undefined, count: 0, fence: 0n, unacknowledged: 0, of: "an_earlier_one" };
/** The token of a hold whose grant was never received. All such holds have the same token. */
const NOBODY_KNOWN = "";

type Step = Operation<Lock>["step"];

const toFreeLock = ({ fence }: Lock): Lock => ({ ...FREE, fence });

/** Creates the step that grants a lock. Impossible if the lock is held. */
export const createGrantStep =
  (token: string, count: number, fence: bigint): Step =>
  (lock) => {
    if (lock.token !== undefined || count !== 1 || fence <= lock.fence) return undefined;
    return { ...lock, token, count, fence, of: "this_hold" };
  };

/** Creates the step that resumes a hold after a wait for a condition, with the count that was given up. */
export const createResumeStep =
  (token: string, count: number, fence: bigint): Step =>
  (lock) => {
    if (lock.token !== undefined || fence <= lock.fence) return undefined;
    return { ...lock, token, count, fence, of: "this_hold" };
  };

/** Creates the step that gives up a hold with its whole count. */
export const createGiveUpStep =
  (token: string): Step =>
  (lock) =>
    lock.token === token ? toFreeLock(lock) : undefined;

export const createReentryStep =
  (token: string, count: number, fence: bigint): Step =>
  (lock) => {
    if (lock.token !== token || count !== lock.count + 1) return undefined;
    const isRight = lock.of === "this_hold" ? fence === lock.fence : fence > lock.fence;
    return isRight ? { ...lock, count, fence, of: "this_hold" } : undefined;
  };

/** Creates the step that models a re-entry whose reply was lost. */
export const createPossibleReentryStep =
  (token: string): Step =>
  (lock) =>
    lock.token === token
      ? { ...lock, count: lock.count + 1, unacknowledged: lock.unacknowledged + 1 }
      : undefined;

/** Grants the lock to a client that never receives the grant. */
export const applyAnonymousGrant: Step = (lock) =>
  lock.token === undefined
    ? { ...lock, token: NOBODY_KNOWN, count: 1, unacknowledged: 1, of: "an_earlier_one" }
    : undefined;

export const applyRefusal: Step = (lock) => (lock.token === undefined ? undefined : lock);

export const createReleaseStep =
  (token: string, left?: number): Step =>
  (lock) => {
    if (lock.token !== token || (left !== undefined && lock.count - 1 !== left)) return undefined;
    if (lock.count === 1) return toFreeLock(lock);
    return { ...lock, count: lock.count - 1, unacknowledged: Math.min(lock.unacknowledged, lock.count - 1) };
  };

export const createDenialStep =
  (token: string): Step =>
  (lock) =>
    lock.token === token ? undefined : lock;

export const createRenewalStep =
  (token: string): Step =>
  (lock) =>
    lock.token === token ? lock : undefined;

export const createMiscountStep =
  (token: string): Step =>
  (lock) =>
    lock.token === token && lock.count > 1 ? { ...lock, count: 1, unacknowledged: 0 } : undefined;

export const createEvictionStep =
  (token: string): Step =>
  (lock) =>
    lock.token === token ? toFreeLock(lock) : undefined;

export const applyWipe: Step = (lock) => (lock.token === undefined ? undefined : toFreeLock(lock));

export const applyFenceWipe: Step = ({ token, fence }) =>
  token === undefined && fence === 0n ? undefined : FREE;

/** The earliest end of a hold's lease. */
export interface Lease {
  readonly token: string;
  readonly fence: bigint;
  readonly mayEndAt: number;
}

export function createLockModel(leases: readonly Lease[]): Model<Lock> {
  const ends = new Map<string, number>();
  for (const { token, fence, mayEndAt } of leases) {
    const name = `${token} ${fence}`;
    ends.set(name, Math.min(mayEndAt, ends.get(name) ?? Number.POSITIVE_INFINITY));
  }
  return {
    first: [FREE],
    formatName: ({ token, count, fence, unacknowledged, of }) =>
      `${token} ${count} ${fence} ${unacknowledged} ${of}`,
    listDrifts: (lock) => [...listExpiries(lock, ends), ...listRollbacks(lock)],
  };
}

/**
 * Lists the possible states of a lock if only the tokens of possible holders, their leases and a lower bound of the
 * fence are known.
 */
export function listPossibleLocks(tokens: readonly string[], leases: readonly Lease[], fence = 0n): Lock[] {
  const held = [...new Set([NOBODY_KNOWN, ...tokens])].flatMap((token) => {
    const own = leases.filter((lease) => lease.token === token && lease.fence >= fence);
    const fences = [...new Set(own.map((lease) => lease.fence))];
    return [
      { token, fence, of: "an_earlier_one" as const },
      ...fences.map((each) => ({ token, fence: each, of: "this_hold" as const })),
    ];
  });
  const counted = held.flatMap((hold) => COUNTS.map((count) => ({ ...hold, count, unacknowledged: count })));
  return [{ ...FREE, fence }, ...counted];
}
const COUNTS = [1, 2, 3, 4];

function listExpiries(lock: Lock, ends: ReadonlyMap<string, number>): Drift<Lock>[] {
  const from = lock.of === "this_hold" ? ends.get(`${lock.token} ${lock.fence}`) : undefined;
  return from === undefined ? [] : [{ from, state: toFreeLock(lock) }];
}

function listRollbacks(lock: Lock): Drift<Lock>[] {
  if (lock.unacknowledged === 0) return [];
  const isLast = lock.count === 1;
  const left = { ...lock, count: lock.count - 1, unacknowledged: lock.unacknowledged - 1 };
  return [{ from: Number.NEGATIVE_INFINITY, state: isLast ? toFreeLock(lock) : left }];
}
