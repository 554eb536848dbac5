import { z } from "zod";
import { Roles } from "../access.ts";
import { NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from "../limits.ts";

const NAME_REQUIREMENT = `must start with a letter or digit and have at most ${NAME_CHARACTERS_MAX} characters: letters, digits, spaces and . _ @ + -`;

export const OperatorName = z
  .string()
  .max(NAME_CHARACTERS_MAX, NAME_REQUIREMENT)
  .regex(/^[\p{L}\p{N}](?:[\p{L}\p{N} ._@+-]*[\p{L}\p{N}._@+-])?$/u, NAME_REQUIREMENT)
  .meta({
    description: `Name of the operator, also used as its id: 1 to ${NAME_CHARACTERS_MAX} letters, digits, spaces and \`. _ @ + -\`, starting with a letter or digit.`,
    example: "mei",
  });

/** A new password. The schema of login requests does not enforce the minimum length. */
export const NewPassword = z
  .string()
  .min(PASSWORD_CHARACTERS_MIN, `must have at least ${PASSWORD_CHARACTERS_MIN} characters`)
  .max(PASSWORD_CHARACTERS_MAX, `must have at most ${PASSWORD_CHARACTERS_MAX} characters`);

export const OperatorState = z.enum(["enabled", "disabled"]);

export const OperatorInput = z
  .strictObject({
    name: OperatorName,
    roles: Roles,
    password: NewPassword.optional().meta({
      description: "Password. Without one, the operator cannot log in until a password is set.",
    }),
  })
  .meta({ id: "OperatorInput" });
export type OperatorInput = z.infer<typeof OperatorInput>;

export const OperatorPatch = z
  .strictObject({
    roles: Roles.optional().meta({ description: "New roles. They replace all current roles." }),
    state: OperatorState.optional().meta({
      description: "`disabled`: the operator cannot log in, and all sessions end.",
    }),
  })
  .refine(({ roles, state }) => roles !== undefined || state !== undefined, "must have roles or state")
  .meta({ id: "UpdateOperatorInput" });
export type OperatorPatch = z.infer<typeof OperatorPatch>;

export const PasswordInput = z
  .strictObject({
    password: NewPassword.meta({ description: "The new password." }),
    old: z.string().min(1).max(PASSWORD_CHARACTERS_MAX).optional().meta({
      description:
        "The current password. Required when operators change their own password; administrators who logged in with a one-time link can omit it.",
    }),
  })
  .meta({ id: "PasswordInput", description: "Setting a password ends the operator's other sessions." });
export type PasswordInput = z.infer<typeof PasswordInput>;

export const Operator = z
  .object({
    name: OperatorName,
    roles: Roles,
    state: OperatorState.meta({ description: "`disabled`: the operator cannot log in." }),
    password: z
      .enum(["set", "none"])
      .meta({ description: "`none`: the operator cannot log in until a password is set." }),
    createdAt: z.int().meta({ description: "When the operator was created, in Unix milliseconds." }),
    createdBy: z.string().meta({ description: "Operator or API key that created the operator." }),
    lastLoginAt: z
      .int()
      .nullable()
      .meta({ description: "When the operator last logged in, in Unix milliseconds. null if never." }),
  })
  .meta({ id: "Operator" });
export type Operator = z.infer<typeof Operator>;

export const OperatorList = z
  .object({ items: z.array(Operator) })
  .meta({ id: "OperatorList", description: "All operators, sorted by name." });
export type OperatorList = z.infer<typeof OperatorList>;
