/** The prefix of the owners of reservations, which applications cannot use. */
export const RESERVED_OWNER_PREFIX = "lockkeeper:reserve:";
/** The name in the owner of a lock that stays held after an early release, for the rest of its minimum hold time. */
export const MIN_HOLD_RESERVER = "min-hold";

/**
 * Matches the suffix that the read/write locks of Redisson add to the owner of the write lock. The owner of a
 * reservation never ends with it.
 */
const WRITE_SUFFIX = /:write$/;

/**
 * Returns the name of the operator who reserved the lock, or `MIN_HOLD_RESERVER`. Returns `undefined` for any other
 * owner.
 */
export function parseReservedOwner(owner: string): string | undefined {
  return owner.startsWith(RESERVED_OWNER_PREFIX)
    ? owner.slice(RESERVED_OWNER_PREFIX.length).replace(WRITE_SUFFIX, "")
    : undefined;
}
