import { z } from "zod";
import { Roles } from "../access.ts";
import { NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from "../limits.ts";

const NAME_REQUIREMENT = `must begin with a letter or a digit and have at most ${NAME_CHARACTERS_MAX} of letters, digits, spaces and . _ @ + -`;

export const OperatorName = z
  .string()
  .max(NAME_CHARACTERS_MAX, NAME_REQUIREMENT)
  .regex(/^[\p{L}\p{N}](?:[\p{L}\p{N} ._@+-]*[\p{L}\p{N}._@+-])?$/u, NAME_REQUIREMENT)
  .meta({ description: "The operator's name, which is its id as well.", example: "mei" });

/** Of a password that is set. One that is tried may be anything. */
export const NewPassword = z
  .string()
  .min(PASSWORD_CHARACTERS_MIN, `must have ${PASSWORD_CHARACTERS_MIN} characters at least`)
  .max(PASSWORD_CHARACTERS_MAX, `must have ${PASSWORD_CHARACTERS_MAX} characters at most`);

export const OperatorState = z.enum(["enabled", "disabled"]);

export const OperatorInput = z
  .strictObject({
    name: OperatorName,
    roles: Roles,
    password: NewPassword.optional().meta({ description: "Without one the operator cannot log in yet." }),
  })
  .meta({ id: "OperatorInput" });
export type OperatorInput = z.infer<typeof OperatorInput>;

export const OperatorPatch = z
  .strictObject({
    roles: Roles.optional().meta({ description: "Takes the place of all roles." }),
    state: OperatorState.optional().meta({ description: "disabled: the sessions end, nobody logs in." }),
  })
  .refine(({ roles, state }) => roles !== undefined || state !== undefined, "must change roles or state")
  .meta({ id: "UpdateOperatorInput" });
export type OperatorPatch = z.infer<typeof OperatorPatch>;

export const PasswordInput = z
  .strictObject({
    password: NewPassword,
    old: z
      .string()
      .min(1)
      .max(PASSWORD_CHARACTERS_MAX)
      .optional()
      .meta({ description: "The present password: required of who changes the own one." }),
  })
  .meta({ id: "PasswordInput", description: "Ends the operator's other sessions." });
export type PasswordInput = z.infer<typeof PasswordInput>;

export const Operator = z
  .object({
    name: OperatorName,
    roles: Roles,
    state: OperatorState,
    password: z.enum(["set", "none"]).meta({ description: "none: cannot log in by password yet." }),
    createdAt: z.int().meta({ description: "Unix milliseconds." }),
    createdBy: z.string(),
    lastLoginAt: z.int().nullable(),
  })
  .meta({ id: "Operator" });
export type Operator = z.infer<typeof Operator>;

export const OperatorList = z
  .object({ items: z.array(Operator) })
  .meta({ id: "OperatorList", description: "All operators, by name." });
export type OperatorList = z.infer<typeof OperatorList>;
