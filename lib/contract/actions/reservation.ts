/** Prefix of owners of reservations. Applications cannot use it. */
export const RESERVED_OWNER_PREFIX = "lockkeeper:reserve:";
/** Name under which a lock stays reserved that is released before its minimum hold time. */
export const MIN_HOLD_RESERVER = "min-hold";

/** Suffix that Redisson's read/write locks add to the owner of the write part. No reserved owner ends with it. */
const WRITE_SUFFIX = /:write$/;

/** Returns the name of the operator who reserved the lock, or `MIN_HOLD_RESERVER`; undefined for any other owner. */
export function parseReservedOwner(owner: string): string | undefined {
  return owner.startsWith(RESERVED_OWNER_PREFIX)
    ? owner.slice(RESERVED_OWNER_PREFIX.length).replace(WRITE_SUFFIX, "")
    : undefined;
}
