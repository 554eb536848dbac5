import { MIN_HOLD_RESERVER, RESERVED_OWNER_PREFIX } from "../../../../lib/contract/actions/reservation.ts";
import { OWNER_CHARACTERS_MAX } from "../../../../lib/contract/actions/verb.ts";

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Matches suffixes that have a meaning in the formats of Redisson. Must agree with owner-fault.ts. */
const ENDING = /:(?=(?:write|expire_time|lock_count)$)/;

/**
 * Returns the owner string of a reservation by an operator. Replaces characters that an owner cannot contain, because
 * operator names are free text.
 */
export function formatReservedOwner(who: string): string {
  const printable = who.replace(UNPRINTABLE, "?").trim() || "somebody";
  const name = [...printable].slice(0, OWNER_CHARACTERS_MAX - RESERVED_OWNER_PREFIX.length).join("");
  return (
    RESERVED_OWNER_PREFIX + (name === MIN_HOLD_RESERVER ? "min hold" : name.trimEnd().replace(ENDING, " "))
  );
}
