import { z } from "zod";
import { Access } from "../access.ts";
import { API_KEY_PATTERNS_MAX, NAME_CHARACTERS_MAX, ROTATION_OVERLAP_MS_MAX } from "../limits.ts";

const NAME_REQUIREMENT = `must begin with a letter or a digit and have at most ${NAME_CHARACTERS_MAX} of letters, digits and . _ @ / -`;

const Verbs = z.array(Access).min(1, "must name one verb at least").max(Access.options.length);
const Targets = z.array(z.string().min(1).max(64)).min(1, "must name one target at least, or *").max(100);
const KeyGlobs = z
  .array(z.string().min(1, "a pattern has at least one character").max(256))
  .min(1, "must have one pattern at least, or *")
  .max(API_KEY_PATTERNS_MAX);

export const ApiKeyInput = z
  .strictObject({
    name: z
      .string()
      .max(NAME_CHARACTERS_MAX, NAME_REQUIREMENT)
      .regex(/^[\p{L}\p{N}][\p{L}\p{N}._@/-]*$/u, NAME_REQUIREMENT)
      .meta({ description: "Events and audit say `key:<name>`.", example: "checkout" }),
    verbs: Verbs.meta({
      description:
        "read: look; lock: acquire, renew, release and read holds; force: free, extend, reserve; admin: change settings.",
      example: ["read", "lock"],
    }),
    targets: Targets.default(["*"]).meta({ description: "Names of targets, or `*` for all." }),
    keys: KeyGlobs.default(["*"]).meta({
      description: "Redis globs of the keys that it is for, or `*` for all.",
      example: ["lock:orders:*"],
    }),
    expiresAt: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .meta({ description: "Unix milliseconds; null: never." }),
  })
  .meta({ id: "ApiKeyInput" });
export type ApiKeyInput = z.infer<typeof ApiKeyInput>;

export const RotateApiKeyInput = z
  .strictObject({
    overlapMs: z
      .int()
      .min(0)
      .max(ROTATION_OVERLAP_MS_MAX)
      .default(0)
      .meta({ description: "For how long the present secret works beside the new one, up to a week." }),
  })
  .meta({ id: "RotateApiKeyInput" });

export const ApiKey = z
  .object({
    id: z.string().meta({ description: "Stays when the secret is rotated." }),
    name: z.string(),
    verbs: z.array(Access),
    targets: z.array(z.string()),
    keys: z.array(z.string()),
    state: z.enum(["active", "expired", "revoked"]).meta({
      description: "Those that have ended are listed for 30 days more.",
    }),
    createdAt: z.int(),
    createdBy: z.string(),
    expiresAt: z.int().nullable(),
    revokedAt: z.int().nullable(),
    rotatedAt: z.int().nullable(),
    oldSecretUntil: z.int().nullable().meta({
      description: "Until when the secret before the last rotation works as well.",
    }),
    lastUsedAt: z.int().nullable().meta({ description: "To the minute, over all instances." }),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const CreatedApiKey = ApiKey.extend({
  secret: z
    .string()
    .meta({ description: "Shown only now: `Authorization: Bearer` and this.", example: "lk_…" }),
}).meta({ id: "ApiKeyWithSecret" });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const ApiKeyList = z
  .object({ items: z.array(ApiKey) })
  .meta({ id: "ApiKeyList", description: "All keys but the root key, by name." });
export type ApiKeyList = z.infer<typeof ApiKeyList>;
