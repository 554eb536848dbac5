import type { Roles } from "../../lib/contract/access.ts";

/** Who a browser is logged in as, right now. */
export interface ActiveSession {
  readonly id: string;
  readonly name: string;
  readonly roles: Roles;
  readonly via: "link" | "password";
  readonly expiresAt: number;
}

/** From where a session is begun, as its request says. */
export interface SessionOrigin {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}
