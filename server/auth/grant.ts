import { ACCESS_OF_ROLE, type Access, EVERY_TARGET, type Roles } from "../../lib/contract/access.ts";
import { KeyRange } from "../redis/glob.ts";

/** Leave to do some things, at some targets, with some keys. */
export interface Grant {
  readonly accesses: readonly Access[];
  covers(target: string): boolean;
  /** At whatever target there is, or will be. */
  readonly everywhere: boolean;
  /** Of these keys only; undefined: of all. */
  readonly keys: KeyRange | undefined;
}

/** What an operator may do. A target that is named goes before `*`, also where that gives less. */
export function grantsOfRoles(roles: Roles): Grant[] {
  const named = new Map(Object.entries(roles));
  const others = named.get(EVERY_TARGET) ?? "none";
  named.delete(EVERY_TARGET);
  const grants: Grant[] = [];
  for (const [target, role] of named) {
    if (role === "none") continue;
    const covers = (name: string) => name === target;
    grants.push({ accesses: ACCESS_OF_ROLE[role], covers, everywhere: false, keys: undefined });
  }
  if (others === "none") return grants;
  const covers = (name: string) => !named.has(name);
  const below = (access: Access) =>
    [...named.values()].some((role) => role === "none" || !ACCESS_OF_ROLE[role].includes(access));
  for (const access of ACCESS_OF_ROLE[others]) {
    grants.push({ accesses: [access], covers, everywhere: !below(access), keys: undefined });
  }
  return grants;
}

export interface KeyGrant {
  readonly verbs: readonly Access[];
  /** Names, or `*` alone. */
  readonly targets: readonly string[];
  /** Redis's globs; `*` stands for all. */
  readonly keys: readonly string[];
}

/** What an API key may do. */
export function grantsOfKey({ verbs, targets, keys }: KeyGrant): Grant[] {
  const everywhere = targets.includes(EVERY_TARGET);
  const names = new Set(targets);
  const covers = (target: string) => everywhere || names.has(target);
  return [{ accesses: verbs, covers, everywhere, keys: keys.includes("*") ? undefined : new KeyRange(keys) }];
}
