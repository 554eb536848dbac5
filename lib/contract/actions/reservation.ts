/** Owners that begin so hold a lock off for everybody; apps cannot take them. */
export const RESERVE = "lockkeeper:reserve:";
/** Holds off a lock that was released before its least hold time. */
export const MIN_HOLD = "min-hold";

/** What a read/write lock of Redisson adds to the owner of its write part; no reserved owner ends so by itself. */
const WRITE = /:write$/;

/** In whose name an owner holds a lock off, or `MIN_HOLD`; undefined for any other owner. */
export function reservedFor(owner: string): string | undefined {
  return owner.startsWith(RESERVE) ? owner.slice(RESERVE.length).replace(WRITE, "") : undefined;
}
