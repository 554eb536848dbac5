import { z } from "zod";
import { formatFields, hasValidUnit, UNIT_ERROR, WritableFormat } from "../format.ts";
import { asOfSchema, fenceSchema, keyFields, OwnerRecordInput } from "../lock.ts";

export const LEASE_MS_MIN = 10;
export const LEASE_MS_MAX = 24 * 60 * 60 * 1000;
export const OWNER_CHARACTERS_MAX = 256;

const OwnerText = z.string().meta({
  description: `A label for people: who holds the lock. 1 to ${OWNER_CHARACTERS_MAX} printable characters; by default the name of the API key. No script compares it.`,
  // Which characters they may be is for the verbs to check.
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

const LeaseMs = createMillisecondsSchema("leaseMs", LEASE_MS_MIN);
export const LEASE_MS_DEFAULT = 30_000;
/** Room for the longest key, target and token; what it may be is for the parser to check. */
export const HOLD_ID_CHARACTERS_MAX = 2403;
export const ReservedMs = createMillisecondsSchema("reservedMs", LEASE_MS_MIN).meta({
  description:
    "For how long nobody gets the lock, whatever library they use: it stays taken by `lockkeeper:reserve:<who>`, in its own format.",
});

/** The longest a request is held open for a lock; ask again with the same Idempotency-Key to keep the place. */
export const WAIT_MS_MAX = 55_000;

const HoldIdText = z.string().meta({
  description: "Identifies one hold, as `acquire` returned it. It is not a secret.",
  // Which text is one is for the parser to check.
  maxLength: HOLD_ID_CHARACTERS_MAX,
  example: "h1.ZGVmYXVsdAByZWRpc3NvbgAA…",
});

const acquireFields = {
  owner: OwnerText.optional(),
  waitMs: z
    .int(`waitMs is a whole number of milliseconds from 0 to ${WAIT_MS_MAX}`)
    .min(0, "waitMs is at least 0")
    .max(WAIT_MS_MAX, `waitMs is at most ${WAIT_MS_MAX}; ask again with the same Idempotency-Key to wait on`)
    .optional()
    .meta({ description: "How long to wait for a lock that is held; 0 by default." }),
  record: OwnerRecordInput.optional(),
  ...formatFields,
  graceMs: createMillisecondsSchema("graceMs", 0).optional().meta({
    description:
      "For how long no client gets the lock after a lease that ran out, as after a crash; 0 by default. A release ends it at once.",
  }),
  minHoldMs: createMillisecondsSchema("minHoldMs", 0).optional().meta({
    description:
      "For how long the lock stays taken at least, counted from the grant, also when it is released before; 0 by default. It does not apply after a lease that ran out.",
  }),
};

export const AcquireInput = z
  .strictObject({
    ...acquireFields,
    leaseMs: LeaseMs.optional().meta({
      description: `Time to live of the hold; ${LEASE_MS_DEFAULT} by default. With \`reenter\`: the hold has at least this left, by default its own lease.`,
    }),
    reenter: HoldIdText.optional().meta({
      description:
        "Enter this hold once more instead of acquiring the lock: same API key, `holdId` and fence; count + 1. Needs an Idempotency-Key, and takes `leaseMs` alone besides.",
    }),
  })
  .superRefine((input, context) => {
    if (input.reenter !== undefined) {
      for (const field of Object.keys(acquireFields)) {
        if (!(field in input)) continue;
        context.addIssue({
          code: "custom",
          path: [field],
          message: "is not allowed beside reenter; only leaseMs is",
        });
      }
      return;
    }
    if (!hasValidUnit(input)) context.addIssue({ code: "custom", ...UNIT_ERROR });
    if ((input.leaseMs ?? LEASE_MS_DEFAULT) + (input.graceMs ?? 0) > LEASE_MS_MAX) {
      const message = `leaseMs and graceMs together are at most ${LEASE_MS_MAX} (24 hours)`;
      context.addIssue({ code: "custom", path: ["graceMs"], message });
    }
  })
  .meta({ id: "AcquireInput" });
export type AcquireInput = z.infer<typeof AcquireInput>;

export const RenewInput = z
  .strictObject({
    leaseMs: LeaseMs.optional().meta({
      description:
        "The hold has at least this left; by default the lease that it was acquired or renewed with.",
    }),
  })
  .meta({ id: "RenewInput" });
export type RenewInput = z.infer<typeof RenewInput>;

export const ReleaseInput = z
  .strictObject({ reservedMs: ReservedMs.optional() })
  .meta({ id: "ReleaseInput" });
export type ReleaseInput = z.infer<typeof ReleaseInput>;

const holdFields = {
  holdId: HoldIdText,
  target: z.string(),
  ...keyFields,
  format: WritableFormat,
  fence: fenceSchema,
};

/** A hold as it was acquired, entered or renewed. */
export const Hold = z
  .object({
    ...holdFields,
    owner: z.string(),
    count: z.int().meta({ description: "Re-entrancy count: how many releases end the hold." }),
    leaseMs: z.int(),
    remainingMs: z.int().meta({
      description: "What was left when Redis answered. Count it from before the request was sent.",
    }),
    waitedMs: z.int().optional().meta({
      description:
        "Of a request with `waitMs`: how long it waited before the try that was granted. The hold lasts until `waitedMs` + `remainingMs` after the request was sent.",
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "Hold" });
export type Hold = z.infer<typeof Hold>;

/** A lock that is kept from everybody for a while. */
export const Reservation = Hold.omit({ holdId: true, waitedMs: true }).meta({ id: "Reservation" });
export type Reservation = z.infer<typeof Reservation>;

export const HoldStatus = z
  .object({
    ...holdFields,
    held: z.boolean().meta({
      description: "false: it never existed, has ended, or the lock was acquired again since.",
    }),
    owner: z.string().nullable(),
    count: z.int().meta({ description: "0 when it is not held." }),
    remainingMs: z.int().nullable().meta({
      description: "0 when it is not held; null when something removed the expiry of the lock.",
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "HoldStatus" });
export type HoldStatus = z.infer<typeof HoldStatus>;

export const Released = z
  .object({
    ...holdFields,
    outcome: z.enum(["released", "still_held", "not_held"]).meta({
      description:
        "still_held: one count of several was given back. not_held: the hold had ended before; not an error.",
    }),
    count: z.int().meta({ description: "What is left of the re-entrancy count." }),
    asOf: asOfSchema,
  })
  .meta({ id: "Released" });
export type Released = z.infer<typeof Released>;
