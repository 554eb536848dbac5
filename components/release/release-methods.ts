import type { Holder, Lock } from "@/lib/contract/lock.ts";

/** In rising force. */
export type ReleaseMethod = "lapse" | "release" | "hold-off";

/** Why one of them does not fit. */
export type MethodObstacle = "renewed" | "noExpiry" | "noRoom" | "others";

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
    "hold-off": findReserveObstacle(lock, only),
  };
  const fits: ReleaseMethod[] = [];
  const not: { choice: ReleaseMethod; why: MethodObstacle }[] = [];
  for (const choice of ["lapse", "release", "hold-off"] as const) {
    const why = obstacles[choice];
    if (why === null) fits.push(choice);
    else not.push({ choice, why });
  }
  return { available: fits, unavailable: not };
}

function findExpiryObstacle({ remainingMs, verdict }: Lock): MethodObstacle | null {
  if (remainingMs === null) return "noExpiry";
  return verdict?.state === "renewing" ? "renewed" : null;
}

function findReserveObstacle({ release, holders }: Lock, only: Holder | undefined): MethodObstacle | null {
  if (only !== undefined && holders.length > 1) return "others";
  return release?.reservation === false ? "noRoom" : null;
}
