import type { Key } from "../../../lib/keys/key.ts";
import {
  canAccess,
  canAccessSome,
  getAccessesAt,
  getAllowedKeys,
  type Principal,
} from "../../auth/principal.ts";
import { ForbiddenError } from "../../errors/request-errors.ts";
import type { Route } from "./route.ts";

type RouteRequirements = Pick<Route, "access" | "scope" | "filtersByGrant">;

/**
 * Asserts that the principal has the access that a route requires. Handlers check access to keys that are not in the
 * path, and permissions that depend on stored data.
 *
 * @param target the name of the target in the request. A target with this name might not exist. `undefined` if the
 * route has no target
 * @param key the key in the path or in its `holdId`. `undefined` if the path has neither
 * @throws ForbiddenError
 */
export function assertAuthorized(
  principal: Principal,
  { access, scope, filtersByGrant }: RouteRequirements,
  target: string | undefined,
  key: Key | undefined,
): void {
  if (access === "anyone") return;
  // Resources that belong to no target, such as the caller's own session and the list of targets, can be read with read
  // access to any target.
  const isGranted =
    filtersByGrant === true || (scope === "server" && access === "read")
      ? canAccessSome(principal, access, target)
      : canAccess(principal, access, { target, key });
  if (!isGranted) throw new ForbiddenError(describeRefusal(principal, access, target));
}

function describeRefusal(principal: Principal, access: string, target: string | undefined): string {
  const { name } = principal;
  if (target === undefined)
    return `${name} does not have the required access: \`${access}\` for all keys of all targets.`;
  const has = getAccessesAt(principal, target);
  const where = JSON.stringify(target.slice(0, 100));
  if (has.length === 0) return `${name} has no access to the target ${where}.`;
  const patterns = has.flatMap((each) => getAllowedKeys(principal, each, target)?.patterns ?? []);
  const range = patterns.length === 0 ? "" : ` of keys that match ${[...new Set(patterns)].join(", ")}`;
  return `${name} does not have the required access: \`${access}\` on the target ${where}. It has ${has.join(", ")}${range}.`;
}
