import { OWNER_CHARACTERS_MAX } from "../../../lib/contract/actions/verb.ts";

// Nearly all owners are: what it takes to tell the others costs as much as a command.
const PLAIN_OWNER = new RegExp(`^[!-~]{1,${OWNER_CHARACTERS_MAX}}$`);

/** Why a string cannot name an owner; undefined when it can. */
export function findOwnerFault(owner: string): string | undefined {
  return (PLAIN_OWNER.test(owner) ? undefined : findTextFault(owner)) ?? findReservedMeaning(owner);
}

function findTextFault(owner: string): string | undefined {
  const characters = [...owner].length;
  if (characters === 0) return "owner is empty; give 1 to 256 printable characters";
  if (characters > OWNER_CHARACTERS_MAX) {
    return `owner has ${characters} characters; at most ${OWNER_CHARACTERS_MAX} are allowed`;
  }
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(owner))
    return "owner has a character that is not printable; give 1 to 256 printable characters";
  if (owner.trim() === "") return "owner is blank; give 1 to 256 printable characters";
  return undefined;
}

function findReservedMeaning(owner: string): string | undefined {
  return owner.startsWith("lockkeeper:")
    ? 'owner may not begin with "lockkeeper:", which marks our own holds'
    : undefined;
}
