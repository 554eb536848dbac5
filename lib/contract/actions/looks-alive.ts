import type { Lock } from "../lock.ts";
import { parseReservedOwner } from "./reservation.ts";

/**
 * Whether somebody may be working under this hold as far as anything tells: it is renewed as expected, or it was not
 * watched for long enough to miss a renewal. Then whoever frees it says why.
 */
export function isLikelyAlive({
  liveness,
  holders,
}: Pick<Lock, "liveness"> & { readonly holders: readonly { owner: string }[] }): boolean {
  if (holders.every(({ owner }) => parseReservedOwner(owner) !== undefined)) return false;
  return liveness?.state === "alive" || liveness?.state === "unknown";
}
