import type { Holder, Lock } from "@/lib/contract/lock.ts";
import type { ReleaseSubject } from "./release-state.ts";

/**
 * The part of a lock that the dialog releases. `lock`: all of it. The others are one participant of a shared lock, and
 * `latch` has no holder.
 */
export type ReleasePart = "lock" | "reader" | "writer" | "permits" | "holder" | "latch";

export function getReleasePart({ lock, holder }: ReleaseSubject): ReleasePart {
  if (lock.kind === "latch") return "latch";
  // A semaphore with a single holder has no other part.
  if (holder === undefined) return "lock";
  if (lock.kind === "semaphore") return "permits";
  return holder.role === "read" ? "reader" : holder.role === "write" ? "writer" : "holder";
}

/**
 * Finds the hold to review after a change. Reviewing a participant never turns into reviewing the whole lock, which would
 * release the other participants too.
 *
 * @param before the participant that was reviewed; `undefined` for the whole lock
 * @returns `undefined` if the owner of the participant no longer holds the lock, or holds it more than once
 */
export function findReviewSubject(lock: Lock, before: Holder | undefined): ReleaseSubject | undefined {
  if (before === undefined) return { lock };
  const [holder, second] = lock.holders.filter(
    ({ owner, role }) => owner === before.owner && role === before.role,
  );
  return holder === undefined || second !== undefined ? undefined : { lock, holder };
}
