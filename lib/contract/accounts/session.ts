import { z } from "zod";
import { Roles } from "../access.ts";
import { NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX } from "../limits.ts";

export const LoginInput = z
  .union(
    [
      z
        .strictObject({
          token: z.string().min(1).max(200).meta({ description: "The part of a one-time link after `#`." }),
        })
        .meta({ id: "LinkLoginInput" }),
      z
        .strictObject({
          name: z.string().min(1).max(NAME_CHARACTERS_MAX),
          password: z.string().min(1).max(PASSWORD_CHARACTERS_MAX),
        })
        .meta({ id: "PasswordLoginInput" }),
    ],
    { error: "must be { token }, or { name, password }" },
  )
  .meta({
    id: "LoginInput",
    description: "The token of a one-time link, or an operator's name and password.",
  });
export type LoginInput = z.infer<typeof LoginInput>;

const sessionFields = {
  name: z.string(),
  via: z.enum(["link", "password"]).meta({ description: "How it was begun." }),
  expiresAt: z.int().meta({ description: "Unix milliseconds; earlier when it is not used." }),
};

export const Session = z.object({ ...sessionFields, roles: Roles }).meta({ id: "Session" });
export type Session = z.infer<typeof Session>;

export const BrowserSession = z
  .object({
    id: z.string().meta({ description: "Of no use to log in with." }),
    ...sessionFields,
    since: z.int().meta({ description: "When it was begun, Unix milliseconds." }),
    lastSeenAt: z.int().meta({ description: "To the minute." }),
    address: z.string().nullable().meta({ description: "From where it was begun, as the server sees it." }),
    userAgent: z.string().nullable().meta({ description: "As the browser said: hostile text." }),
    current: z.boolean().meta({ description: "It is the one that asks." }),
  })
  .meta({ id: "BrowserSession" });
export type BrowserSession = z.infer<typeof BrowserSession>;

export const BrowserSessionList = z
  .object({ items: z.array(BrowserSession) })
  .meta({ id: "BrowserSessionList", description: "The last that was seen first." });
export type BrowserSessionList = z.infer<typeof BrowserSessionList>;
