import type { Holder, Lock } from "@/lib/contract/lock.ts";

/** `wait`: does nothing to the lock. */
export type ReleaseMethod = "release" | "reserve" | "wait";

/** Why a method is not available. */
export type MethodObstacle = "renewed" | "noTtl" | "noRoom" | "others";

/** Every method, in the order in which they are shown. null: available. The order never changes under the pointer. */
export type ReleaseMethods = ReadonlyMap<ReleaseMethod, MethodObstacle | null>;

/**
 * Finds what can be done about a lock as it is now.
 *
 * @param only one of its holders: the others keep the lock
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
