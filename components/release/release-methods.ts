import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { canAskHolder, findReleaseRequest } from "../lock-facts/release-request.ts";

/**
 * What an operator can do about a hold. `ask` leaves the release to the holder. `wait` does not change the lock.
 */
export type ReleaseMethod = "ask" | "release" | "reserve" | "wait";

/** Why a method is not available. */
export type MethodObstacle = "requested" | "accepted" | "renewed" | "noTtl" | "noRoom" | "others";

/**
 * All methods in display order, with the reason why a method is not available, or `null`. The order is fixed, because
 * options must not move under the pointer. `ask` is missing if the holder did not receive requests when the dialog was
 * opened.
 */
export type ReleaseMethods = ReadonlyMap<ReleaseMethod, MethodObstacle | null>;

/**
 * Determines which methods are available for a lock in its current state.
 *
 * @param only one of several holders; its release does not affect the others
 * @param request the latest release request of the hold, if it is newer than the lock
 * @param canAsk whether to list `ask`
 */
export function findReleaseMethods(
  lock: Lock,
  only: Holder | undefined,
  request: ReleaseRequest | null = findReleaseRequest(lock, only),
  canAsk: boolean = canAskHolder(lock, only),
): ReleaseMethods {
  return new Map<ReleaseMethod, MethodObstacle | null>([
    ...(canAsk ? [["ask", findAskObstacle(request)] as const] : []),
    ["release", null],
    ["reserve", findReserveObstacle(lock, only)],
    ["wait", findExpiryObstacle(lock)],
  ]);
}

/** Returns why the holder cannot be asked. Returns `null` if it can, for example after a refusal. */
function findAskObstacle(request: ReleaseRequest | null): MethodObstacle | null {
  return request === null || request.state === "refused" ? null : request.state;
}

function findExpiryObstacle({ remainingMs, liveness }: Lock): MethodObstacle | null {
  if (remainingMs === null) return "noTtl";
  return liveness?.state === "alive" ? "renewed" : null;
}

function findReserveObstacle({ release, holders }: Lock, only: Holder | undefined): MethodObstacle | null {
  if (only !== undefined && holders.length > 1) return "others";
  return release?.reservable === false ? "noRoom" : null;
}
