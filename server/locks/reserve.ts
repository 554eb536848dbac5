import { OWNER_CHARACTERS_MAX } from "../../lib/contract/lock.ts";
import { assertOwner } from "./refusals.ts";

/** Owners that begin so hold a lock off for everybody; apps cannot take them. */
export const RESERVE = "lockkeeper:reserve:";

/** @throws InvalidError when `who` cannot be part of an owner */
export function reservedOwner(who: string): string {
  assertOwner(who);
  return RESERVE + [...who].slice(0, OWNER_CHARACTERS_MAX - RESERVE.length).join("");
}
