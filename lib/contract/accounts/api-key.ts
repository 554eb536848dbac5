import { z } from "zod";
import { Access } from "../access.ts";
import { API_KEY_PATTERNS_MAX, NAME_CHARACTERS_MAX, ROTATION_OVERLAP_MS_MAX } from "../limits.ts";

const NAME_REQUIREMENT = `must start with a letter or digit and have at most ${NAME_CHARACTERS_MAX} characters: letters, digits and . _ @ / -`;

const Verbs = z.array(Access).min(1, "must have at least one verb").max(Access.options.length);
const Targets = z.array(z.string().min(1).max(64)).min(1, "must have at least one target, or *").max(100);
const KeyGlobs = z
  .array(z.string().min(1, "must have at least one character").max(256))
  .min(1, "must have at least one pattern, or *")
  .max(API_KEY_PATTERNS_MAX);

const HoldsMax = z.int().min(1).max(10_000_000).nullable();
const BytesMax = z.int().min(1).max(1_000_000_000_000).nullable();
const HOLDS_MAX_TEXT =
  "Quota: live holds of the key at once. null: the limit of the server (`LOCKKEEPER_HOLDS_PER_CALLER_MAX`).";
const BYTES_MAX_TEXT =
  "Quota: bytes that the holds of the key take in Redis, estimated. null: the limit of the server (`LOCKKEEPER_HOLD_BYTES_PER_CALLER_MAX`).";

export const ApiKeyInput = z
  .strictObject({
    name: z
      .string()
      .max(NAME_CHARACTERS_MAX, NAME_REQUIREMENT)
      .regex(/^[\p{L}\p{N}][\p{L}\p{N}._@/-]*$/u, NAME_REQUIREMENT)
      .meta({
        description: `Name of the key: 1 to ${NAME_CHARACTERS_MAX} letters, digits and \`. _ @ / -\`, starting with a letter or digit. Events and the audit log show it as \`key:<name>\`.`,
        example: "checkout",
      }),
    verbs: Verbs.meta({
      description:
        "Access of the key. `read`: list and read locks. `lock`: acquire, renew, release and verify. `force`: force-release, extend, reserve and annotate the locks of others. `admin`: change settings and accounts.",
      example: ["read", "lock"],
    }),
    targets: Targets.default(["*"]).meta({ description: "Targets that the key can use, or `*` for all." }),
    keys: KeyGlobs.default(["*"]).meta({
      description: "Redis glob patterns of the lock keys that the API key can use, or `*` for all.",
      example: ["lock:orders:*"],
    }),
    expiresAt: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .meta({ description: "When the key expires, in Unix milliseconds. null if it never expires." }),
    holdsMax: HoldsMax.default(null).meta({ description: HOLDS_MAX_TEXT }),
    bytesMax: BytesMax.default(null).meta({ description: BYTES_MAX_TEXT }),
  })
  .meta({ id: "ApiKeyInput" });
export type ApiKeyInput = z.infer<typeof ApiKeyInput>;

export const RotateApiKeyInput = z
  .strictObject({
    overlapMs: z.int().min(0).max(ROTATION_OVERLAP_MS_MAX).default(0).meta({
      description:
        "How long the current secret stays valid beside the new one, in milliseconds; at most 7 days.",
    }),
  })
  .meta({ id: "RotateApiKeyInput" });

export const ApiKeyQuotaInput = z
  .strictObject({
    holdsMax: HoldsMax.optional().meta({ description: `${HOLDS_MAX_TEXT} Absent: unchanged.` }),
    bytesMax: BytesMax.optional().meta({ description: `${BYTES_MAX_TEXT} Absent: unchanged.` }),
  })
  .meta({ id: "ApiKeyQuotaInput" });
export type ApiKeyQuotaInput = z.infer<typeof ApiKeyQuotaInput>;

export const ApiKeyUsage = z
  .object({
    holds: z.int().meta({ description: "Live holds." }),
    holdsMax: z
      .int()
      .meta({ description: "Most live holds: the quota of the key, or the limit of the server." }),
    bytes: z.int().meta({ description: "Bytes that the live holds take in Redis, estimated." }),
    bytesMax: z.int().meta({ description: "Most bytes: the quota of the key, or the limit of the server." }),
  })
  .meta({
    id: "ApiKeyUsage",
    description:
      "Live holds of the key over all targets, and the limits in force. Each instance counts on its own, from the keys that it watches and from its own grants, so the numbers are approximate.",
  });
export type ApiKeyUsage = z.infer<typeof ApiKeyUsage>;

export const ApiKey = z
  .object({
    id: z
      .string()
      .meta({ description: "Identifies the key. It does not change when the secret is rotated." }),
    name: z.string().meta({ description: "Name of the key." }),
    verbs: z.array(Access).meta({ description: "Access of the key." }),
    targets: z.array(z.string()).meta({ description: "Targets that the key can use, or `*` for all." }),
    keys: z.array(z.string()).meta({
      description: "Redis glob patterns of the lock keys that the API key can use, or `*` for all.",
    }),
    state: z.enum(["active", "expired", "revoked"]).meta({
      description: "`active`, `expired` or `revoked`. Expired and revoked keys stay listed for 30 days.",
    }),
    createdAt: z.int().meta({ description: "When the key was created, in Unix milliseconds." }),
    createdBy: z.string().meta({ description: "Operator or API key that created the key." }),
    expiresAt: z
      .int()
      .nullable()
      .meta({ description: "When the key expires, in Unix milliseconds. null if it never expires." }),
    holdsMax: HoldsMax.meta({ description: HOLDS_MAX_TEXT }),
    bytesMax: BytesMax.meta({ description: BYTES_MAX_TEXT }),
    usage: ApiKeyUsage,
    revokedAt: z
      .int()
      .nullable()
      .meta({ description: "When the key was revoked, in Unix milliseconds. null if it is not revoked." }),
    rotatedAt: z
      .int()
      .nullable()
      .meta({ description: "When the secret was last rotated, in Unix milliseconds. null if never." }),
    oldSecretUntil: z.int().nullable().meta({
      description:
        "Until when the previous secret stays valid, in Unix milliseconds. null if it is no longer valid.",
    }),
    lastUsedAt: z.int().nullable().meta({
      description:
        "When the key was last used on any instance, in Unix milliseconds, accurate to a minute. null if never.",
    }),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const CreatedApiKey = ApiKey.extend({
  secret: z.string().meta({
    description: "The secret, for `Authorization: Bearer`. It cannot be retrieved again.",
    example: "lk_…",
  }),
}).meta({ id: "ApiKeyWithSecret" });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const ApiKeyList = z
  .object({ items: z.array(ApiKey) })
  .meta({ id: "ApiKeyList", description: "All API keys except the root key, sorted by name." });
export type ApiKeyList = z.infer<typeof ApiKeyList>;
