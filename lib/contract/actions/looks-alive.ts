import type { Lock } from "../lock.ts";
import { parseReservedOwner } from "./reservation.ts";

/**
 * Returns whether the holder may still be working: its liveness is `alive` or `unknown`. A force-release of such a hold
 * requires a reason. Always false for reservations.
 */
export function isLikelyAlive({
  liveness,
  holders,
}: Pick<Lock, "liveness"> & { readonly holders: readonly { owner: string }[] }): boolean {
  if (holders.every(({ owner }) => parseReservedOwner(owner) !== undefined)) return false;
  return liveness?.state === "alive" || liveness?.state === "unknown";
}
