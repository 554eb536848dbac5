import type { Roles } from "../../lib/contract/access.ts";

/** An active browser session. */
export interface ActiveSession {
  readonly id: string;
  readonly name: string;
  readonly roles: Roles;
  readonly via: "link" | "password";
  readonly expiresAt: number;
}

/** The client that started a session. */
export interface SessionOrigin {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}
