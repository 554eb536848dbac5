import type { Holder, Lock } from "@/lib/contract/lock.ts";

/** In rising force. */
export type ReleaseMethod = "lapse" | "release" | "reserve";

/** Why one of them does not fit. */
export type MethodObstacle = "renewed" | "noTtl" | "noRoom" | "others";

export interface ReleaseMethods {
  /** The mildest first. */
  available: readonly ReleaseMethod[];
  unavailable: readonly { choice: ReleaseMethod; why: MethodObstacle }[];
}

/**
 * What can be done about a lock as it is now.
 *
 * @param only one of its holders: the others keep the lock
 */
export function findReleaseMethods(lock: Lock, only: Holder | undefined): ReleaseMethods {
  const obstacles: Readonly<Record<ReleaseMethod, MethodObstacle | null>> = {
    lapse: findExpiryObstacle(lock),
    release: null,
    reserve: findReserveObstacle(lock, only),
  };
  const fits: ReleaseMethod[] = [];
  const not: { choice: ReleaseMethod; why: MethodObstacle }[] = [];
  for (const choice of ["lapse", "release", "reserve"] as const) {
    const why = obstacles[choice];
    if (why === null) fits.push(choice);
    else not.push({ choice, why });
  }
  return { available: fits, unavailable: not };
}

function findExpiryObstacle({ remainingMs, liveness }: Lock): MethodObstacle | null {
  if (remainingMs === null) return "noTtl";
  return liveness?.state === "alive" ? "renewed" : null;
}

function findReserveObstacle({ release, holders }: Lock, only: Holder | undefined): MethodObstacle | null {
  if (only !== undefined && holders.length > 1) return "others";
  return release?.reservable === false ? "noRoom" : null;
}
