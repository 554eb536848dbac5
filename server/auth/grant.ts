import { ACCESS_OF_ROLE, type Access, EVERY_TARGET, type Roles } from "../../lib/contract/access.ts";
import { KeyPatternSet } from "../redis/glob.ts";

/** Permission for some kinds of access to some keys on some targets. */
export interface AccessGrant {
  readonly accesses: readonly Access[];
  coversTarget(target: string): boolean;
  /**
   * Whether the principal has this access on all targets, including targets that are added later. If an operator has
   * roles on named targets, this is `true` only if those roles also grant the access.
   */
  readonly everywhere: boolean;
  /** The keys that the grant covers. `undefined` for all keys. */
  readonly keys: KeyPatternSet | undefined;
}

/** Creates the grants of an operator. The role on a named target replaces the role on `*`, even if it permits less. */
export function createRoleGrants(roles: Roles): AccessGrant[] {
  const named = new Map(Object.entries(roles));
  const others = named.get(EVERY_TARGET) ?? "none";
  named.delete(EVERY_TARGET);
  const grants: AccessGrant[] = [];
  for (const [target, role] of named) {
    if (role === "none") continue;
    const covers = (name: string) => name === target;
    grants.push({ accesses: ACCESS_OF_ROLE[role], coversTarget: covers, everywhere: false, keys: undefined });
  }
  if (others === "none") return grants;
  const covers = (name: string) => !named.has(name);
  const below = (access: Access) =>
    [...named.values()].some((role) => role === "none" || !ACCESS_OF_ROLE[role].includes(access));
  for (const access of ACCESS_OF_ROLE[others]) {
    grants.push({ accesses: [access], coversTarget: covers, everywhere: !below(access), keys: undefined });
  }
  return grants;
}

export interface KeyPermissions {
  readonly verbs: readonly Access[];
  /** Target names, or only `*`. */
  readonly targets: readonly string[];
  /** Redis globs; `*` matches all keys. */
  readonly keys: readonly string[];
}

/** Creates the grants of an API key. A single grant covers all of its verbs, targets and keys. */
export function createKeyGrants({ verbs, targets, keys }: KeyPermissions): AccessGrant[] {
  const everywhere = targets.includes(EVERY_TARGET);
  const names = new Set(targets);
  const covers = (target: string) => everywhere || names.has(target);
  return [
    {
      accesses: verbs,
      coversTarget: covers,
      everywhere,
      keys: keys.includes("*") ? undefined : new KeyPatternSet(keys),
    },
  ];
}
