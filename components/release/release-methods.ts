import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { canAskHolder, findReleaseRequest } from "../lock-facts/release-request.ts";

/**
 * What an operator can do about a hold. `ask`: ask the holder to release the lock. `release`: force-release the hold.
 * `reserve`: force-release the hold and reserve the lock in the operator's name. `wait`: leave the lock unchanged and
 * wait for expiry.
 */
export type ReleaseMethod = "ask" | "release" | "reserve" | "wait";

/**
 * Why a method is not available. `requested`: the holder was already asked and has not responded. `accepted`: the
 * holder has accepted a release request. `renewed`: the holder renews its lease, so the lock does not expire. `noTtl`:
 * the lock never expires. `noRoom`: the format cannot store a reservation. `others`: the lock has other holders.
 */
export type MethodObstacle = "requested" | "accepted" | "renewed" | "noTtl" | "noRoom" | "others";

/**
 * The methods in display order, each with the reason why it is not available; `null` if it is available. The order is
 * fixed, because options must not move under the pointer. `ask` is omitted if the holder does not receive release
 * requests.
 */
export type ReleaseMethods = ReadonlyMap<ReleaseMethod, MethodObstacle | null>;

/**
 * Returns the methods for a lock in its current state, each with the reason why it is not available.
 *
 * @param only the holder to release without affecting the other holders of the lock; `undefined` for the whole lock
 * @param request the latest release request for the hold; defaults to the request in `lock`
 * @param canAsk whether to include `ask`; defaults to whether the holder receives release requests
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

/** Returns why the holder cannot be asked; `null` if it can be asked, for example after a refusal. */
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
