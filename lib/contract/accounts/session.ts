import { z } from "zod";
import { Roles } from "../access.ts";
import { NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX } from "../limits.ts";

export const LoginInput = z
  .union(
    [
      z
        .strictObject({
          token: z
            .string()
            .min(1)
            .max(200)
            .meta({ description: "Token of the one-time link: the part after `#`." }),
        })
        .meta({ id: "LinkLoginInput" }),
      z
        .strictObject({
          name: z.string().min(1).max(NAME_CHARACTERS_MAX).meta({ description: "Name of the operator." }),
          password: z.string().min(1).max(PASSWORD_CHARACTERS_MAX).meta({ description: "Password." }),
        })
        .meta({ id: "PasswordLoginInput" }),
    ],
    { error: "must be { token } or { name, password }" },
  )
  .meta({
    id: "LoginInput",
    description: "Either the token of a one-time link, or the name and password of an operator.",
  });
export type LoginInput = z.infer<typeof LoginInput>;

const sessionFields = {
  name: z.string().meta({ description: "Name of the operator." }),
  via: z
    .enum(["link", "password"])
    .meta({ description: "How the session was started: by a one-time link or by a password." }),
  expiresAt: z.int().meta({
    description: "When the session expires, in Unix milliseconds. It ends earlier if it is not used.",
  }),
};

export const Session = z.object({ ...sessionFields, roles: Roles }).meta({ id: "Session" });
export type Session = z.infer<typeof Session>;

export const BrowserSession = z
  .object({
    id: z.string().meta({ description: "Identifies the session. It cannot be used to log in." }),
    ...sessionFields,
    since: z.int().meta({ description: "When the session was started, in Unix milliseconds." }),
    lastSeenAt: z
      .int()
      .meta({ description: "When the session was last used, in Unix milliseconds, accurate to a minute." }),
    address: z
      .string()
      .nullable()
      .meta({ description: "Client address at login, as seen by the server. null if unknown." }),
    userAgent: z.string().nullable().meta({
      description: "`User-Agent` of the browser at login. Treat it as untrusted input. null if unknown.",
    }),
    current: z.boolean().meta({ description: "Whether this is the session of the request." }),
  })
  .meta({ id: "BrowserSession" });
export type BrowserSession = z.infer<typeof BrowserSession>;

export const BrowserSessionList = z
  .object({ items: z.array(BrowserSession) })
  .meta({ id: "BrowserSessionList", description: "Browser sessions, most recently used first." });
export type BrowserSessionList = z.infer<typeof BrowserSessionList>;
