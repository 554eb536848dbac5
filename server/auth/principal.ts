import { ACCESS_OF_ROLE, type Access, Role } from "../../lib/contract/access.ts";
import type { Key } from "../../lib/keys/key.ts";
import { KeyPatternSet } from "../redis/glob.ts";
import type { AccessGrant } from "./grant.ts";
import type { HoldQuotaOverride } from "./hold-quota.ts";

/** An authenticated caller. */
export interface Principal {
  readonly kind: "key" | "session" | "nobody";
  /** A permanent id: `root`, the id of an API key, or the result of `buildOperatorId`. */
  readonly id: string;
  /** The name in events and the audit log: `key:<name>`, or the name of an operator, which contains no colon. */
  readonly name: string;
  readonly grants: readonly AccessGrant[];
  /** Quotas of the API key; `undefined` if the server's limits apply. */
  readonly quota?: HoldQuotaOverride;
}

export const buildOperatorId = (name: string) => `operator:${name}`;

export const ANONYMOUS: Principal = { kind: "nobody", id: "nobody", name: "nobody", grants: [] };

/** The scope of an access: one key of a target, all keys of a target, or (without a target) the whole server. */
export interface AccessScope {
  readonly target?: string | undefined;
  readonly key?: Key | undefined;
}

/** Whether the principal has the access for the entire scope. */
export function canAccess({ grants }: Principal, access: Access, { target, key }: AccessScope): boolean {
  for (const { accesses, coversTarget, everywhere, keys } of grants) {
    const isThere = target === undefined ? everywhere : coversTarget(target);
    if (!isThere || !accesses.includes(access)) continue;
    if (keys === undefined || (key !== undefined && keys.has(key))) return true;
  }
  return false;
}

/**
 * Whether the principal has the access for at least one key of the target. If `target` is `undefined`, one key of any
 * target is sufficient.
 */
export function canAccessSome({ grants }: Principal, access: Access, target: string | undefined): boolean {
  return grants.some(
    ({ accesses, coversTarget }) =>
      accesses.includes(access) && (target === undefined || coversTarget(target)),
  );
}

/**
 * Returns the keys of a target for which the principal has the access; `undefined` for all keys. Call `canAccessSome`
 * first.
 */
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

/** Returns the kinds of access that the principal has for at least one key of a target. */
export function getAccessesAt(principal: Principal, target: string): Access[] {
  return ACCESS_OF_ROLE.admin.filter((access) => canAccessSome(principal, access, target));
}

/** Returns the kinds of access that the principal has for all keys of all targets. */
export function getServerWideAccesses(principal: Principal): Access[] {
  return ACCESS_OF_ROLE.admin.filter((access) => canAccess(principal, access, {}));
}

/** Returns the highest role whose entire access the principal has on a target. */
export function getRoleAt(principal: Principal, target: string): Role | undefined {
  const has = (role: Role) =>
    ACCESS_OF_ROLE[role].every((access) => canAccess(principal, access, { target }));
  return [...Role.options].reverse().find(has);
}
