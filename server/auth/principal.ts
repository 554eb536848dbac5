export type Role = "viewer" | "operator" | "admin";

/** What a route asks of the one who calls it. */
export type Access = "read" | "lock" | "force" | "admin";

/** Who calls. `name` is what events and audits say. */
export interface Principal {
  readonly kind: "key" | "session";
  readonly name: string;
  readonly role: Role;
}

const MAY: Record<Role, readonly Access[]> = {
  viewer: ["read"],
  operator: ["read", "force"],
  admin: ["read", "lock", "force", "admin"],
};

export function may(principal: Principal, access: Access): boolean {
  return MAY[principal.role].includes(access);
}
