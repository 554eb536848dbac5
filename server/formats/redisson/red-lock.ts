import type { HeldObservation } from "../observation.ts";
import { isThreadOwner } from "./redisson-owner.ts";

/**
 * This module detects the RedLock of Redisson, which acquires one lock on several independent masters. RedLock uses one
 * client per master, so the owner string `<client id>:<thread id>` differs on each master. No data in Redis links the
 * holds on the masters, so they are matched by thread id, start time and TTL. docs/decisions/0009 gives the reasons.
 */

/** A hold on one master that may be part of a RedLock. */
export interface RedLockPart {
  readonly seen: HeldObservation;
  /**
   * When this owner was first observed on the master (`performance.now()`); `undefined` if the owner may have acquired
   * the lock long before that time.
   */
  readonly begunAt: number | undefined;
}

/**
 * Maximum time in ms between the starts of two holds of one RedLock. Holds that begin further apart belong to different
 * locks.
 */
const BEGIN_SPREAD_MS = 2000;
/**
 * Maximum difference between the TTLs of two holds of one RedLock, as a share of the longer TTL. Each client renews on
 * its own timer, so the TTLs differ by up to a renewal interval.
 */
const TTL_SPREAD_SHARE = 1 / 2;
const TTL_SPREAD_MS_MIN = 2000;

/**
 * Whether a single thread of a Redisson client holds the lock, and the lock is neither a read/write lock nor a multi
 * lock.
 */
export function isPlainRedissonHold({ state, format, type, kind, holders }: HeldObservation): boolean {
  const [{ token, role, fence }, second] = holders;
  const isPlain = state === "held" && format === "redisson" && type === "hash" && kind !== "multi";
  return isPlain && second === undefined && role === undefined && fence === null && isThreadOwner(token);
}

/** Whether a hold can be part of a RedLock, whose holds always have a TTL. */
export const isRedLockPart = (hold: HeldObservation): boolean =>
  isPlainRedissonHold(hold) && hold.remainingMs !== null;

/**
 * Finds the part that can belong to the same RedLock as the most other parts, and returns it together with these parts.
 * If several parts qualify, uses the one that comes first in `parts`.
 */
export function findLargestRedLock(parts: readonly RedLockPart[]): readonly RedLockPart[] {
  const groups = parts.map((seed) => parts.filter((part) => belongTogether(seed, part)));
  return groups.reduce((largest, group) => (group.length > largest.length ? group : largest), []);
}

function belongTogether(one: RedLockPart, other: RedLockPart): boolean {
  const [a, b] = [one.seen.remainingMs ?? 0, other.seen.remainingMs ?? 0];
  const isSameThread = getThreadId(one) === getThreadId(other);
  const isSameBegin =
    one.begunAt === undefined ||
    other.begunAt === undefined ||
    Math.abs(one.begunAt - other.begunAt) <= BEGIN_SPREAD_MS;
  const spreadMs = Math.max(TTL_SPREAD_MS_MIN, TTL_SPREAD_SHARE * Math.max(a, b));
  return isSameThread && isSameBegin && Math.abs(a - b) <= spreadMs;
}

const getThreadId = ({ seen }: RedLockPart) =>
  seen.holders[0].token.slice(seen.holders[0].token.lastIndexOf(":"));
