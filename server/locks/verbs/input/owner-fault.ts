import { OWNER_CHARACTERS_MAX } from "../../../../lib/contract/actions/verb.ts";

// Nearly all owners match this pattern. The complete test costs as much as a Redis command.
const PLAIN_OWNER = new RegExp(`^[!-~]{1,${OWNER_CHARACTERS_MAX}}$`);

/** Returns why a string cannot be an owner; `undefined` if the string is valid. */
export function findOwnerFault(owner: string): string | undefined {
  return (PLAIN_OWNER.test(owner) ? undefined : findTextFault("owner", owner)) ?? findReservedMeaning(owner);
}

/** Returns why a string cannot be stored on one line of the companion; `undefined` if the string is valid. */
export function findTextFault(name: string, text: string): string | undefined {
  const characters = [...text].length;
  const instead = `give 1 to ${OWNER_CHARACTERS_MAX} printable characters`;
  if (characters === 0) return `${name} is empty; ${instead}`;
  if (characters > OWNER_CHARACTERS_MAX) {
    return `${name} has ${characters} characters; at most ${OWNER_CHARACTERS_MAX} are allowed`;
  }
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return `${name} has a character that is not printable; ${instead}`;
  if (text.trim() === "") return `${name} is blank; ${instead}`;
  return undefined;
}

function findReservedMeaning(owner: string): string | undefined {
  return owner.startsWith("lockkeeper:")
    ? 'owner may not begin with "lockkeeper:", which marks our own holds'
    : undefined;
}
