/** The prefix of owners of reservations. Applications cannot use it. */
export const RESERVED_OWNER_PREFIX = "lockkeeper:reserve:";
/** The name under which a lock remains reserved if it is released before its minimum hold time. */
export const MIN_HOLD_RESERVER = "min-hold";

/**
 * The suffix that Redisson's read/write locks add to the owner of the write lock. No reserved owner ends with this
 * suffix.
 */
const WRITE_SUFFIX = /:write$/;

/** Returns the name of the operator who reserved the lock, or `MIN_HOLD_RESERVER`; `undefined` for any other owner. */
export function parseReservedOwner(owner: string): string | undefined {
  return owner.startsWith(RESERVED_OWNER_PREFIX)
    ? owner.slice(RESERVED_OWNER_PREFIX.length).replace(WRITE_SUFFIX, "")
    : undefined;
}
