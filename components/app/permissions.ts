import type { Access, Role } from "@/lib/contract/access.ts";
import type { LiveHello } from "@/lib/contract/live.ts";

/** The contract's, written again without zod, which must not be in the page's first load. A test holds them together. */
const ROLE_ACCESS: readonly (readonly [Role, readonly Access[]])[] = [
  ["admin", ["read", "lock", "force", "admin"]],
  ["operator", ["read", "force"]],
  ["viewer", ["read"]],
];

/** In one word what somebody may do at a target. */
export function getRole(may: readonly Access[]): Role | "none" {
  const found = ROLE_ACCESS.find(([, accesses]) => accesses.every((access) => may.includes(access)));
  return found?.[0] ?? "none";
}

/** Whether the audit, operators and keys, which are of no single target, are open to who looks at the page. */
export function isServerAdmin(hello: LiveHello | null): boolean {
  return hello?.operator.mayEverywhere.includes("admin") ?? false;
}
