/** Owners that begin so hold a lock off for everybody; apps cannot take them. */
export const RESERVED_OWNER_PREFIX = "lockkeeper:reserve:";
/** Reserves a lock that was released before its minimum hold time. */
export const MIN_HOLD_RESERVER = "min-hold";

/** What a read/write lock of Redisson adds to the owner of its write part; no reserved owner ends so by itself. */
const WRITE_SUFFIX = /:write$/;

/** In whose name an owner holds a lock off, or `MIN_HOLD`; undefined for any other owner. */
export function parseReservedOwner(owner: string): string | undefined {
  return owner.startsWith(RESERVED_OWNER_PREFIX)
    ? owner.slice(RESERVED_OWNER_PREFIX.length).replace(WRITE_SUFFIX, "")
    : undefined;
}
