import { z } from "zod";
import { Roles } from "./access.ts";

export const LoginInput = z
  .strictObject({ token: z.string().min(1).max(200) })
  .meta({ id: "LoginInput", description: "The token of a one-time link." });

export const Session = z
  .object({ name: z.string(), roles: Roles, expiresAt: z.number() })
  .meta({ id: "Session" });
export type Session = z.infer<typeof Session>;
