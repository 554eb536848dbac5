import { z } from "zod";
import { formatFields, hasValidUnit, UNIT_ERROR, WritableFormat } from "../format.ts";
import { asOfSchema, fenceSchema, keyFields, OwnerRecord } from "../lock.ts";

export const LEASE_MS_MIN = 10;
export const LEASE_MS_MAX = 24 * 60 * 60 * 1000;
export const OWNER_CHARACTERS_MAX = 256;
const FENCE_DIGITS_MAX = 40;

const OwnerText = z.string().meta({
  description: `1 to ${OWNER_CHARACTERS_MAX} printable characters that name the holder.`,
  // Which characters they may be is for the verbs to say.
  minLength: 1,
  maxLength: OWNER_CHARACTERS_MAX,
  example: "checkout@pod-7:311",
});

/** Up to a day, as long as a lock may stay taken without a word from its holder. */
const createMillisecondsSchema = (name: string, least: number) =>
  z
    .int(`${name} is a whole number of milliseconds from ${least} to ${LEASE_MS_MAX} (24 hours)`)
    .min(least, `${name} is at least ${least}`)
    .max(LEASE_MS_MAX, `${name} is at most ${LEASE_MS_MAX} (24 hours)`);

const LeaseMs = createMillisecondsSchema("leaseMs", LEASE_MS_MIN).default(30_000);
const Format = formatFields.format;
export const ReservedMs = createMillisecondsSchema("reservedMs", LEASE_MS_MIN).meta({
  description:
    "For how long nobody gets the lock, whatever library they use: it stays taken by `lockkeeper:reserve:<who>`, in its own format.",
});

/** The longest a request is held open for a lock; ask again with the same Idempotency-Key to keep the place. */
export const WAIT_MS_MAX = 55_000;

export const AcquireInput = z
  .strictObject({
    owner: OwnerText,
    leaseMs: LeaseMs,
    waitMs: z
      .int(`waitMs is a whole number of milliseconds from 0 to ${WAIT_MS_MAX}`)
      .min(0, "waitMs is at least 0")
      .max(
        WAIT_MS_MAX,
        `waitMs is at most ${WAIT_MS_MAX}; ask again with the same Idempotency-Key to wait on`,
      )
      .default(0)
      .meta({ description: "How long to wait for a lock that is held." }),
    reentrant: z
      .boolean()
      .default(true)
      .meta({ description: "false: the same owner is refused as any other would be." }),
    record: OwnerRecord.optional(),
    ...formatFields,
    graceMs: createMillisecondsSchema("graceMs", 0).default(0).meta({
      description:
        "For how long nobody gets the lock after a lease that ran out, as after a crash. A release ends it at once.",
    }),
    minHoldMs: createMillisecondsSchema("minHoldMs", 0).default(0).meta({
      description:
        "For how long the lock stays taken at least, counted from the grant, also when it is released before. Of a lease that ran out it keeps nothing.",
    }),
  })
  .refine(hasValidUnit, UNIT_ERROR)
  .refine(({ leaseMs, graceMs }) => leaseMs + graceMs <= LEASE_MS_MAX, {
    path: ["graceMs"],
    message: `leaseMs and graceMs together are at most ${LEASE_MS_MAX} (24 hours)`,
  })
  .meta({ id: "AcquireInput" });
export type AcquireInput = z.infer<typeof AcquireInput>;

export const RenewInput = z
  .strictObject({ owner: OwnerText, leaseMs: LeaseMs, format: Format })
  .meta({ id: "RenewInput" });
export type RenewInput = z.infer<typeof RenewInput>;

export const ReleaseInput = z
  .strictObject({ owner: OwnerText, format: Format, reservedMs: ReservedMs.optional() })
  .meta({ id: "ReleaseInput" });
export type ReleaseInput = z.infer<typeof ReleaseInput>;

export const VerifyInput = z
  .strictObject({
    owner: OwnerText,
    fence: fenceSchema
      .max(FENCE_DIGITS_MAX)
      .optional()
      .meta({ description: "Also that it is this very hold." }),
    format: WritableFormat.optional().meta({ description: "Also that it is written so." }),
  })
  .meta({ id: "VerifyInput" });
export type VerifyInput = z.infer<typeof VerifyInput>;

export const Verified = z
  .object({
    ...keyFields,
    owner: z.string(),
    count: z.int(),
    fence: fenceSchema.nullable(),
    remainingMs: z.number().nullable().meta({ description: "null: no expiry." }),
    asOf: asOfSchema,
  })
  .meta({ id: "Verified" });
export type Verified = z.infer<typeof Verified>;

export const Grant = z
  .object({
    ...keyFields,
    owner: z.string(),
    count: z.int(),
    fence: fenceSchema.nullable().meta({
      description: "null only when the hold was taken without us and is being re-entered or renewed.",
    }),
    leaseMs: z.number(),
    remainingMs: z.number().meta({
      description: "What was left when Redis answered. Count it from before the request was sent.",
    }),
    waitedMs: z.number().optional().meta({
      description:
        "Of a request with `waitMs`: for how long it was held open before the lock was asked for with success. The hold lasts until `waitedMs` + `remainingMs` after the request was sent.",
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "Grant" });
export type Grant = z.infer<typeof Grant>;

export const Released = z
  .object({
    ...keyFields,
    owner: z.string(),
    outcome: z
      .enum(["released", "not_held"])
      .meta({ description: "not_held: there was nothing of this owner's to release; not an error." }),
    count: z
      .int()
      .meta({ description: "What is left of the re-entrancy count; 0 when the lock is free of this owner." }),
    asOf: asOfSchema,
  })
  .meta({ id: "Released" });
export type Released = z.infer<typeof Released>;
