import { z } from "zod";
import { KEY_BYTES_MAX } from "./key.ts";

export const LEASE_MS_MIN = 10;
export const LEASE_MS_MAX = 24 * 60 * 60 * 1000;
export const OWNER_CHARACTERS_MAX = 256;

const KEY = z.string().meta({
  description: `The lock's name, which is its Redis key (at most ${KEY_BYTES_MAX} bytes).`,
  example: "lock:orders:42",
});
const KEY_BASE64 = z
  .string()
  .optional()
  .meta({ description: "The key's bytes, present only when they are not UTF-8." });

/** Fields that both sides use to name a lock. */
export const keyFields = { key: KEY, keyBase64: KEY_BASE64 };

export const AS_OF = z
  .number()
  .meta({ description: "Redis's clock at the time of reading, Unix milliseconds." });
const FENCE = z.string().regex(/^\d+$/).meta({
  description: "Fencing token, a decimal string; grows with every new hold of the key.",
  example: "1795216496123456",
});

export const RECORD_TEXT_MAX = 200;
const recordText = (what: string) => z.string().max(RECORD_TEXT_MAX).optional().meta({ description: what });

export const OwnerRecord = z
  .strictObject({
    service: recordText("The app that holds the lock."),
    host: recordText("The machine or pod it runs on."),
    pid: z.int().min(0).optional(),
    purpose: recordText("What the lock is held for."),
    trace: recordText("A trace or request id of the app."),
  })
  .meta({ id: "OwnerRecord", description: "What the holder tells of itself, for people." });
export type OwnerRecord = z.infer<typeof OwnerRecord>;

export const Holder = z
  .object({
    owner: z.string(),
    count: z.int().meta({ description: "Re-entrancy count." }),
    fence: FENCE.nullable().meta({ description: "null when the holder took the lock without us." }),
    record: OwnerRecord.optional(),
    since: z
      .number()
      .nullable()
      .meta({ description: "When the hold began, Redis's clock, Unix milliseconds." }),
    sinceIs: z
      .enum(["exact", "at_least"])
      .meta({ description: "at_least: it was already held when we first looked." }),
    remainingMs: z.number().nullable().meta({
      description:
        "What is left to the holder itself at `asOf`; null: no expiry. The lock stays taken for longer when the holder asked for a grace, or its deadline is rounded.",
    }),
  })
  .meta({ id: "Holder" });
export type Holder = z.infer<typeof Holder>;

export const FormatName = z.enum(["redisson", "token", "timestamp"]).meta({
  description:
    "How the lock is written in Redis: as Redisson does; as one string with its owner, as redlock, redis-py and many do; as one string with the time at which it ends.",
});
export type FormatName = z.infer<typeof FormatName>;
export const Unit = z.enum(["s", "ms"]).meta({
  description: "What the format `timestamp` writes its deadline in; one key has one unit.",
});
export type Unit = z.infer<typeof Unit>;
export const Kind = z.enum(["lock"]);
export const Confidence = z.enum(["certain", "likely", "possible"]);

export const Lock = z
  .object({
    target: z.string(),
    ...keyFields,
    format: FormatName.nullable().meta({ description: "null for a free key." }),
    kind: Kind.nullable(),
    confidence: Confidence.nullable(),
    holders: z.array(Holder).meta({ description: "Empty for a free key." }),
    remainingMs: z
      .number()
      .nullable()
      .meta({ description: "Time to live at `asOf`; null for a free key or one without expiry." }),
    leaseMs: z
      .number()
      .nullable()
      .meta({ description: "The lease asked for, or the longest time to live seen of this hold." }),
    version: z
      .string()
      .nullable()
      .meta({ description: "Names this hold; an operator's action carries it as `expect`." }),
    asOf: AS_OF,
  })
  .meta({ id: "Lock" });
export type Lock = z.infer<typeof Lock>;

const OwnerText = z.string().meta({
  description: `1 to ${OWNER_CHARACTERS_MAX} printable characters that name the holder.`,
  example: "checkout@pod-7:311",
});

/** Up to a day, as long as a lock may stay taken without a word from its holder. */
const milliseconds = (name: string, least: number) =>
  z
    .int(`${name} is a whole number of milliseconds from ${least} to ${LEASE_MS_MAX} (24 hours)`)
    .min(least, `${name} is at least ${least}`)
    .max(LEASE_MS_MAX, `${name} is at most ${LEASE_MS_MAX} (24 hours)`);

const LeaseMs = milliseconds("leaseMs", LEASE_MS_MIN).default(30_000);
const Format = FormatName.default("redisson");
export const HoldOffMs = milliseconds("holdOffMs", LEASE_MS_MIN).meta({
  description:
    "For how long nobody gets the lock, whatever library they use: it stays taken by `lockkeeper:reserve:<who>`, in its own format.",
});

/** What is asked of a format, and how it writes a deadline. */
export const formatFields = {
  format: Format,
  unit: Unit.optional().meta({
    description: "With the format `timestamp` only: what its deadline is written in; `ms` by default.",
  }),
};

export function hasItsUnit({ format, unit }: { format: FormatName; unit?: Unit | undefined }): boolean {
  return unit === undefined || format === "timestamp";
}
export const UNIT_FAULT = {
  path: ["unit"],
  message: 'unit belongs to the format "timestamp" alone; leave it out, or ask for that format',
};

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
    graceMs: milliseconds("graceMs", 0).default(0).meta({
      description:
        "For how long nobody gets the lock after a lease that ran out, as after a crash. A release ends it at once.",
    }),
    minHoldMs: milliseconds("minHoldMs", 0).default(0).meta({
      description:
        "For how long the lock stays taken at least, counted from the grant, also when it is released before. Of a lease that ran out it keeps nothing.",
    }),
  })
  .refine(hasItsUnit, UNIT_FAULT)
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
  .strictObject({ owner: OwnerText, format: Format, holdOffMs: HoldOffMs.optional() })
  .meta({ id: "ReleaseInput" });
export type ReleaseInput = z.infer<typeof ReleaseInput>;

export const VerifyInput = z
  .strictObject({
    owner: OwnerText,
    fence: FENCE.optional().meta({ description: "Also that it is this very hold." }),
    format: FormatName.optional().meta({ description: "Also that it is written so." }),
  })
  .meta({ id: "VerifyInput" });
export type VerifyInput = z.infer<typeof VerifyInput>;

export const Verified = z
  .object({
    ...keyFields,
    owner: z.string(),
    count: z.int(),
    fence: FENCE.nullable(),
    remainingMs: z.number().nullable().meta({ description: "null: no expiry." }),
    asOf: AS_OF,
  })
  .meta({ id: "Verified" });
export type Verified = z.infer<typeof Verified>;

export const Grant = z
  .object({
    ...keyFields,
    owner: z.string(),
    count: z.int(),
    fence: FENCE.nullable().meta({
      description: "null only when the hold was taken without us and is being re-entered or renewed.",
    }),
    leaseMs: z.number(),
    remainingMs: z.number(),
    asOf: AS_OF,
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
    asOf: AS_OF,
  })
  .meta({ id: "Released" });
export type Released = z.infer<typeof Released>;
