import { z } from "zod";

/**
 * Kinds of access. `read` permits viewing locks and events. `lock` permits acquiring, renewing and releasing locks.
 * `force` permits operator actions on locks of other owners, such as a force-release. `admin` permits managing
 * operators, API keys and format rules, and reading the audit log.
 */
export const Access = z.enum(["read", "lock", "force", "admin"]);
export type Access = z.infer<typeof Access>;

export const Role = z.enum(["viewer", "operator", "admin"]);
export type Role = z.infer<typeof Role>;

export const ACCESS_OF_ROLE: Readonly<Record<Role, readonly Access[]>> = {
  viewer: ["read"],
  operator: ["read", "force"],
  admin: ["read", "lock", "force", "admin"],
};

export const EVERY_TARGET = "*";

export const Roles = z.record(z.string().min(1).max(100), z.enum([...Role.options, "none"])).meta({
  id: "Roles",
  description:
    "Roles by target name. `*` applies to all targets that are not listed; without it they have no role.",
  example: { "*": "viewer", default: "operator" },
});
export type Roles = z.infer<typeof Roles>;
