import { ACCESS_OF_ROLE, type Access, Role } from "../../lib/contract/access.ts";
import type { Key } from "../../lib/keys/key.ts";
import { KeyPatternSet } from "../redis/glob.ts";
import type { AccessGrant } from "./grant.ts";
import type { HoldQuotaOverride } from "./hold-quota.ts";

/** Who calls. */
export interface Principal {
  readonly kind: "key" | "session" | "nobody";
  /** Stays the same as long as it exists: `root`, the id of an API key, or `idOfOperator`. */
  readonly id: string;
  /** What events and the audit say: `key:<name>`, or an operator's name, which has no colon. */
  readonly name: string;
  readonly grants: readonly AccessGrant[];
  /** Limits of an API key of its own; undefined: those of the server. */
  readonly quota?: HoldQuotaOverride;
}

export const buildOperatorId = (name: string) => `operator:${name}`;

export const ANONYMOUS: Principal = { kind: "nobody", id: "nobody", name: "nobody", grants: [] };

/** What is asked for: of one key at a target, of all its keys, or (no target) of the server as a whole. */
export interface AccessScope {
  readonly target?: string | undefined;
  readonly key?: Key | undefined;
}

/** Whether all of it is granted; about all keys, and about the server as a whole, without exception. */
export function canAccess({ grants }: Principal, access: Access, { target, key }: AccessScope): boolean {
  for (const { accesses, coversTarget, everywhere, keys } of grants) {
    const isThere = target === undefined ? everywhere : coversTarget(target);
    if (!isThere || !accesses.includes(access)) continue;
    if (keys === undefined || (key !== undefined && keys.has(key))) return true;
  }
  return false;
}

/** Whether it is granted for some key of the target, or (undefined) of any target. */
export function canAccessSome({ grants }: Principal, access: Access, target: string | undefined): boolean {
  return grants.some(
    ({ accesses, coversTarget }) =>
      accesses.includes(access) && (target === undefined || coversTarget(target)),
  );
}

/** Which keys of a target it is granted for; undefined: all. Ask `maySome` before. */
export function getAllowedKeys(
  { grants }: Principal,
  access: Access,
  target: string,
): KeyPatternSet | undefined {
  const ranges: KeyPatternSet[] = [];
  for (const { accesses, coversTarget, keys } of grants) {
    if (!accesses.includes(access) || !coversTarget(target)) continue;
    if (keys === undefined) return undefined;
    ranges.push(keys);
  }
  const [one] = ranges;
  return one !== undefined && ranges.length === 1
    ? one
    : new KeyPatternSet(ranges.flatMap(({ patterns }) => patterns));
}

/** All that is granted at a target, for some keys at least. */
export function getAccessesAt(principal: Principal, target: string): Access[] {
  return ACCESS_OF_ROLE.admin.filter((access) => canAccessSome(principal, access, target));
}

/** All that is granted about the server as a whole: at every target, for all keys. */
export function getServerWideAccesses(principal: Principal): Access[] {
  return ACCESS_OF_ROLE.admin.filter((access) => canAccess(principal, access, {}));
}

/** The highest role that a principal has all of at a target. */
export function getRoleAt(principal: Principal, target: string): Role | undefined {
  const has = (role: Role) =>
    ACCESS_OF_ROLE[role].every((access) => canAccess(principal, access, { target }));
  return [...Role.options].reverse().find(has);
}
