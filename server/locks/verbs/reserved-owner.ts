import { MIN_HOLD_RESERVER, RESERVED_OWNER_PREFIX } from "../../../lib/contract/actions/reservation.ts";
import { OWNER_CHARACTERS_MAX } from "../../../lib/contract/actions/verb.ts";

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** As in owner.ts: these mean something in the layouts we share with Redisson. */
const ENDING = /:(?=(?:write|expire_time|lock_count)$)/;

/**
 * The owner of a hold-off in somebody's name. Names of operators are free text, and whoever must keep a lock shut is
 * not to be stopped by theirs: what an owner may not hold is replaced.
 */
export function formatReservedOwner(who: string): string {
  const printable = who.replace(UNPRINTABLE, "?").trim() || "somebody";
  const name = [...printable].slice(0, OWNER_CHARACTERS_MAX - RESERVED_OWNER_PREFIX.length).join("");
  return (
    RESERVED_OWNER_PREFIX + (name === MIN_HOLD_RESERVER ? "min hold" : name.trimEnd().replace(ENDING, " "))
  );
}
