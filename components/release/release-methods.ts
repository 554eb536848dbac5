import type { Holder, Lock } from "@/lib/contract/lock.ts";

/** What an operator can do about a hold. `wait` does not change the lock. */
export type ReleaseMethod = "release" | "reserve" | "wait";

/** Why a method is not available. */
export type MethodObstacle = "renewed" | "noTtl" | "noRoom" | "others";

/**
 * Every method in display order, with the reason why it is not available; `null` if it is. The order is fixed, so that
 * nothing moves under the pointer.
 */
export type ReleaseMethods = ReadonlyMap<ReleaseMethod, MethodObstacle | null>;

/**
 * Determines which methods are available for a lock in its current state.
 *
 * @param only one of several holders, whose release does not affect the others
 */
export function findReleaseMethods(lock: Lock, only: Holder | undefined): ReleaseMethods {
  return new Map([
    ["release", null],
    ["reserve", findReserveObstacle(lock, only)],
    ["wait", findExpiryObstacle(lock)],
  ]);
}

function findExpiryObstacle({ remainingMs, liveness }: Lock): MethodObstacle | null {
  if (remainingMs === null) return "noTtl";
  return liveness?.state === "alive" ? "renewed" : null;
}

function findReserveObstacle({ release, holders }: Lock, only: Holder | undefined): MethodObstacle | null {
  if (only !== undefined && holders.length > 1) return "others";
  return release?.reservable === false ? "noRoom" : null;
}
