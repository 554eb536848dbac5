import { ACCESS_OF_ROLE, type Access, Role } from "../../lib/contract/access.ts";
import type { Key } from "../../lib/keys/key.ts";
import { KeyRange } from "../redis/glob.ts";
import type { Grant } from "./grant.ts";

/** Who calls. */
export interface Principal {
  readonly kind: "key" | "session" | "nobody";
  /** Stays the same as long as it exists: `root`, the id of an API key, or `idOfOperator`. */
  readonly id: string;
  /** What events and the audit say: `key:<name>`, or an operator's name, which has no colon. */
  readonly name: string;
  readonly grants: readonly Grant[];
}

export const idOfOperator = (name: string) => `operator:${name}`;

export const NOBODY: Principal = { kind: "nobody", id: "nobody", name: "nobody", grants: [] };

/** What is asked for: of one key at a target, of all its keys, or (no target) of the server as a whole. */
export interface About {
  readonly target?: string | undefined;
  readonly key?: Key | undefined;
}

/** Whether all of it is granted; about all keys, and about the server as a whole, without exception. */
export function may({ grants }: Principal, access: Access, { target, key }: About): boolean {
  for (const { accesses, covers, everywhere, keys } of grants) {
    const isThere = target === undefined ? everywhere : covers(target);
    if (!isThere || !accesses.includes(access)) continue;
    if (keys === undefined || (key !== undefined && keys.has(key))) return true;
  }
  return false;
}

/** Whether it is granted for some key of the target, or (undefined) of any target. */
export function maySome({ grants }: Principal, access: Access, target: string | undefined): boolean {
  return grants.some(
    ({ accesses, covers }) => accesses.includes(access) && (target === undefined || covers(target)),
  );
}

/** Which keys of a target it is granted for; undefined: all. Ask `maySome` before. */
export function keysFor({ grants }: Principal, access: Access, target: string): KeyRange | undefined {
  const ranges: KeyRange[] = [];
  for (const { accesses, covers, keys } of grants) {
    if (!accesses.includes(access) || !covers(target)) continue;
    if (keys === undefined) return undefined;
    ranges.push(keys);
  }
  const [one] = ranges;
  return one !== undefined && ranges.length === 1
    ? one
    : new KeyRange(ranges.flatMap(({ patterns }) => patterns));
}

/** All that is granted at a target, for some keys at least. */
export function accessesAt(principal: Principal, target: string): Access[] {
  return ACCESS_OF_ROLE.admin.filter((access) => maySome(principal, access, target));
}

/** All that is granted about the server as a whole: at every target, for all keys. */
export function accessesEverywhere(principal: Principal): Access[] {
  return ACCESS_OF_ROLE.admin.filter((access) => may(principal, access, {}));
}

/** The highest role that a principal has all of at a target. */
export function roleAt(principal: Principal, target: string): Role | undefined {
  const has = (role: Role) => ACCESS_OF_ROLE[role].every((access) => may(principal, access, { target }));
  return [...Role.options].reverse().find(has);
}
