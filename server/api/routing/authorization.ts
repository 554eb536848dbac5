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
 * The one place that decides whether a call may be made, from what its route declares. What a handler does with keys
 * that are not in the path, it asks of `may` besides.
 *
 * @param target the name of the target that a route is about; it need not exist
 * @param key undefined on routes without one
 * @throws ForbiddenError
 */
export function assertAuthorized(
  principal: Principal,
  { access, scope, filtersByGrant }: RouteRequirements,
  target: string | undefined,
  key: Key | undefined,
): void {
  if (access === "anyone") return;
  // Whoever may look at anything may look at what is of no target: its own session, what targets there are for it.
  const isGranted =
    filtersByGrant === true || (scope === "server" && access === "read")
      ? canAccessSome(principal, access, target)
      : canAccess(principal, access, { target, key });
  if (!isGranted) throw new ForbiddenError(describeRefusal(principal, access, target));
}

function describeRefusal(principal: Principal, access: string, target: string | undefined): string {
  const { name } = principal;
  if (target === undefined)
    return `${name} may not do this: it needs \`${access}\` at every target and for all keys.`;
  const has = getAccessesAt(principal, target);
  const where = JSON.stringify(target.slice(0, 100));
  if (has.length === 0) return `${name} may do nothing at the target ${where}.`;
  const patterns = has.flatMap((each) => getAllowedKeys(principal, each, target)?.patterns ?? []);
  const range = patterns.length === 0 ? "" : ` of keys that match ${[...new Set(patterns)].join(", ")}`;
  return `${name} may not do this: it needs \`${access}\` at the target ${where}, and has ${has.join(", ")}${range}.`;
}
