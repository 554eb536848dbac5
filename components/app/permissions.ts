import type { Access, Role } from "@/lib/contract/access.ts";
import type { LiveHello } from "@/lib/contract/live.ts";

/**
 * Duplicates a table of the contract, because importing the contract would add zod to the first load. A test compares
 * both.
 */
const ROLE_ACCESS: readonly (readonly [Role, readonly Access[]])[] = [
  ["admin", ["read", "lock", "force", "admin"]],
  ["operator", ["read", "force"]],
  ["viewer", ["read"]],
];

/** Returns the highest role whose access the operator has in full on a target; `none` if there is no such role. */
export function getRole(may: readonly Access[]): Role | "none" {
  const found = ROLE_ACCESS.find(([, accesses]) => accesses.every((access) => may.includes(access)));
  return found?.[0] ?? "none";
}

/**
 * Returns whether the operator can use the audit log, operators and API keys, which require admin access to all
 * targets.
 */
export function isServerAdmin(hello: LiveHello | null): boolean {
  return hello?.operator.mayEverywhere.includes("admin") ?? false;
}
