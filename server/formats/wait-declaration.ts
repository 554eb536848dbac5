import type { Key } from "../../lib/keys/key.ts";
import type { HoldIdentity } from "./lock-requests.ts";

/**
 * What happens to a waiter in a deadlock. `refuse`: the youngest wait with this option ends with `deadlock`. `report`:
 * the deadlock is only reported.
 */
export type OnDeadlock = "refuse" | "report";

/** A hold that a waiter declares. The token is sufficient to identify the hold. */
export type DeclaredHold = Pick<HoldIdentity, "token"> & { readonly key: Key };

/**
 * The information that a waiter of Lockkeeper's verbs declares about itself. It is stored in Redis with the waiter, so
 * that every instance can read it.
 */
export interface WaitDeclaration {
  readonly onDeadlock: OnDeadlock;
  /** Id of the wait. A message with this id refuses the wait. */
  readonly waitId: string;
  /** The API principal of the waiter. Only holds that the same principal acquired can be declared. */
  readonly principal?: string | undefined;
  /** The holds that the waiter keeps until its wait ends. */
  readonly holding: readonly DeclaredHold[];
}

/** Maximum number of holds that a waiter can declare. */
export const DECLARED_HOLDS_MAX = 16;
/**
 * Maximum length of a declaration in characters. Limited because scripts read the whole list of waiters. Holds that do
 * not fit are omitted.
 */
const DECLARATION_CHARACTERS_MAX = 2048;

const POLICIES: readonly OnDeadlock[] = ["report", "refuse"];

/**
 * Formats a declaration as one line of JSON without tabs: an array of the policy, the id, the principal, and then the
 * key and token of each hold. Omits the last holds if there are too many or the line would be too long.
 */
export function formatDeclaration({ onDeadlock, waitId, principal = "", holding }: WaitDeclaration): string {
  const parts: string[] = [onDeadlock, waitId, principal].map((text) => JSON.stringify(text));
  let length = parts.join().length + 2;
  for (const { key, token } of holding.slice(0, DECLARED_HOLDS_MAX)) {
    const part = `${JSON.stringify(key)},${JSON.stringify(token)}`;
    if (length + part.length + 1 > DECLARATION_CHARACTERS_MAX) break;
    parts.push(part);
    length += part.length + 1;
  }
  return `[${parts.join()}]`;
}

/**
 * Parses a declaration. Returns `undefined` if the string is not a valid declaration, which is possible because any
 * client can write it.
 */
export function parseDeclaration(text: string | undefined): WaitDeclaration | undefined {
  if (text === undefined || text.length > DECLARATION_CHARACTERS_MAX) return undefined;
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(fields) || fields.some((field) => typeof field !== "string")) return undefined;
  const [policy, waitId, principal, ...holds]: string[] = fields;
  const onDeadlock = POLICIES.find((each) => each === policy);
  if (onDeadlock === undefined || !waitId || principal === undefined) return undefined;
  const holding: DeclaredHold[] = [];
  for (let at = 0; at + 1 < holds.length && holding.length < DECLARED_HOLDS_MAX; at += 2)
    holding.push({ key: holds[at] ?? "", token: holds[at + 1] ?? "" });
  return { onDeadlock, waitId, ...(principal === "" ? {} : { principal }), holding };
}
