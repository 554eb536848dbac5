/** Owners that begin so hold a lock off for everybody; apps cannot take them. */
export const RESERVE = "lockkeeper:reserve:";
/** Holds off a lock that was released before its least hold time. */
export const MIN_HOLD = "min-hold";

/** In whose name an owner holds a lock off, or `MIN_HOLD`; undefined for any other owner. */
export function reservedFor(owner: string): string | undefined {
  return owner.startsWith(RESERVE) ? owner.slice(RESERVE.length) : undefined;
}
