/** Prefix of the owner of a reservation. Applications cannot use owners with this prefix. */
export const RESERVED_OWNER_PREFIX = "lockkeeper:reserve:";
/**
 * Name that follows `RESERVED_OWNER_PREFIX` in the owner of a lock that was released early and stays held until its
 * minimum hold time has passed.
 */
export const MIN_HOLD_RESERVER = "min-hold";

/**
 * Matches the suffix that Redisson's read/write locks add to the owner of the write lock. The name in a reservation
 * never ends with this suffix.
 */
const WRITE_SUFFIX = /:write$/;

/**
 * Returns the name in the owner of a reservation, such as the operator's name or `MIN_HOLD_RESERVER`. Returns
 * `undefined` if the owner string does not belong to a reservation.
 */
export function parseReservedOwner(owner: string): string | undefined {
  return owner.startsWith(RESERVED_OWNER_PREFIX)
    ? owner.slice(RESERVED_OWNER_PREFIX.length).replace(WRITE_SUFFIX, "")
    : undefined;
}
