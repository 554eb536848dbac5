import { ACCESS_OF_ROLE, EVERY_TARGET, type Roles } from "../../lib/contract/access.ts";
import { ForbiddenError } from "../errors/request-errors.ts";
import { covers } from "../redis/glob.ts";
import type { KeyPermissions } from "./grant.ts";
import type { Principal } from "./principal.ts";

/**
 * Asserts that the principal itself has all the access that it wants to grant to an API key or an operator.
 *
 * @throws LockkeeperError forbidden
 */
export function assertCanDelegate(principal: Principal, wanted: readonly KeyPermissions[]): void {
  if (wanted.every((grant) => hasPermissions(principal, grant))) return;
  throw new ForbiddenError(
    `${principal.name} cannot grant more access than it has. Grant less, or ask an administrator.`,
  );
}

/**
 * Converts an operator's roles to key permissions. The permissions for `*` also cover targets for which the operator
 * has a lower role, so the result can permit more than the roles.
 */
export function toKeyPermissions(roles: Roles): KeyPermissions[] {
  return Object.entries(roles).map(([target, role]) => ({
    verbs: role === "none" ? [] : ACCESS_OF_ROLE[role],
    targets: [target],
    keys: ["*"],
  }));
}

function hasPermissions({ grants }: Principal, { verbs, targets, keys }: KeyPermissions): boolean {
  const names = targets.includes(EVERY_TARGET) ? [undefined] : targets;
  return verbs.every((verb) =>
    names.every((name) => {
      const fitting = grants.filter(
        (grant) =>
          grant.accesses.includes(verb) && (name === undefined ? grant.everywhere : grant.coversTarget(name)),
      );
      if (fitting.some((grant) => grant.keys === undefined)) return true;
      const own = fitting.flatMap((grant) => grant.keys?.patterns ?? []);
      return fitting.length > 0 && keys.every((wanted) => own.some((pattern) => covers(pattern, wanted)));
    }),
  );
}
