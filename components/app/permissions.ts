import type { Access, Role } from "@/lib/contract/access.ts";
import type { LiveHello } from "@/lib/contract/live.ts";

/**
 * The access levels that each role includes, highest role first. Copied from the contract, because importing the
 * contract would add zod to the first load. A test compares the copy with the original.
 */
const ROLE_ACCESS: readonly (readonly [Role, readonly Access[]])[] = [
  ["admin", ["read", "lock", "force", "admin"]],
  ["operator", ["read", "force"]],
  ["viewer", ["read"]],
];

/** Returns the highest role whose access levels are all in `may`; `none` if there is no such role. */
export function getRole(may: readonly Access[]): Role | "none" {
  const found = ROLE_ACCESS.find(([, accesses]) => accesses.every((access) => may.includes(access)));
  return found?.[0] ?? "none";
}

/**
 * Returns whether the operator has admin access to all targets, which the pages for the audit log, operators and API
 * keys require.
 */
export function isServerAdmin(hello: LiveHello | null): boolean {
  return hello?.operator.mayEverywhere.includes("admin") ?? false;
}
