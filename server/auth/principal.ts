import { ACCESS_OF_ROLE, type Access, Role } from "../../lib/contract/access.ts";
import type { Key } from "../../lib/keys/key.ts";
import { KeyPatternSet } from "../redis/glob.ts";
import type { AccessGrant } from "./grant.ts";
import type { HoldQuotaOverride } from "./hold-quota.ts";

/** The caller of a request and its access. A caller without credentials is `ANONYMOUS`. */
export interface Principal {
  readonly kind: "key" | "session" | "nobody";
  /**
   * Permanent id: `root`, the id of an API key, or the result of `buildOperatorId`. `nobody` if the caller is
   * anonymous.
   */
  readonly id: string;
  /**
   * Name in events and in the audit log: `key:<name>` for an API key, or the name of an operator, which contains no
   * colon.
   */
  readonly name: string;
  readonly grants: readonly AccessGrant[];
  /** Quotas of the API key. `undefined` if the server's limits apply. */
  readonly quota?: HoldQuotaOverride;
}

export const buildOperatorId = (name: string) => `operator:${name}`;

export const ANONYMOUS: Principal = { kind: "nobody", id: "nobody", name: "nobody", grants: [] };

/**
 * The scope for which access is checked: one key on a target, all keys on a target (without `key`), or the whole server
 * (without `target`).
 */
export interface AccessScope {
  readonly target?: string | undefined;
  readonly key?: Key | undefined;
}

/** Returns whether the principal has this kind of access to the entire scope. */
export function canAccess({ grants }: Principal, access: Access, { target, key }: AccessScope): boolean {
  for (const { accesses, coversTarget, everywhere, keys } of grants) {
    const isThere = target === undefined ? everywhere : coversTarget(target);
    if (!isThere || !accesses.includes(access)) continue;
    if (keys === undefined || (key !== undefined && keys.has(key))) return true;
  }
  return false;
}

/**
 * Returns whether the principal has this kind of access to at least one key on the target, or on any target if `target`
 * is `undefined`.
 */
export function canAccessSome({ grants }: Principal, access: Access, target: string | undefined): boolean {
  return grants.some(
    ({ accesses, coversTarget }) =>
      accesses.includes(access) && (target === undefined || coversTarget(target)),
  );
}

/**
 * Returns the patterns of the keys to which the principal has this kind of access, or `undefined` if it has access to
 * all keys. If it has no such access to the target, the result matches no key.
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

/** Returns the kinds of access that the principal has to at least one key on a target. */
export function getAccessesAt(principal: Principal, target: string): Access[] {
  return ACCESS_OF_ROLE.admin.filter((access) => canAccessSome(principal, access, target));
}

/** Returns the kinds of access that the principal has to all keys on all targets. */
export function getServerWideAccesses(principal: Principal): Access[] {
  return ACCESS_OF_ROLE.admin.filter((access) => canAccess(principal, access, {}));
}

/**
 * Returns the highest role of which the principal has every kind of access to all keys on a target, or `undefined` if
 * there is no such role.
 */
export function getRoleAt(principal: Principal, target: string): Role | undefined {
  const has = (role: Role) =>
    ACCESS_OF_ROLE[role].every((access) => canAccess(principal, access, { target }));
  return [...Role.options].reverse().find(has);
}
