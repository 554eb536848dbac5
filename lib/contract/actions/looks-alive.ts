import type { Lock } from "../lock.ts";
import { parseReservedOwner } from "./reservation.ts";

/**
 * Returns whether the holder may still be working, because it renews as expected or has not been observed for long
 * enough to miss a renewal. If so, a force-release requires a reason. Reservations never count as alive.
 */
export function isLikelyAlive({
  liveness,
  holders,
}: Pick<Lock, "liveness"> & { readonly holders: readonly { owner: string }[] }): boolean {
  if (holders.every(({ owner }) => parseReservedOwner(owner) !== undefined)) return false;
  return liveness?.state === "alive" || liveness?.state === "unknown";
}
