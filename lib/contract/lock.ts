import { z } from "zod";
import { KEY_BYTES_MAX } from "./key.ts";

export const LEASE_MS_MIN = 10;
export const LEASE_MS_MAX = 24 * 60 * 60 * 1000;
export const OWNER_CHARACTERS_MAX = 256;
export const REASON_CHARACTERS_MAX = 500;

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

const AS_OF = z.number().meta({ description: "Redis's clock at the time of reading, Unix milliseconds." });
const FENCE = z.string().regex(/^\d+$/).meta({
  description: "Fencing token, a decimal string; grows with every new hold of the key.",
  example: "1795216496123456",
});

const recordText = (what: string) => z.string().max(200).optional().meta({ description: what });

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

export const LOCK_SORTS = ["key", "owner", "count", "remaining", "held", "fence"] as const;
export type LockSortField = (typeof LOCK_SORTS)[number];
export const LIST_LIMIT_MAX = 500;

export const LockSort = z
  .string()
  .regex(
    new RegExp(`^-?(${LOCK_SORTS.join("|")})$`),
    `sort is one of ${LOCK_SORTS.join(", ")}, with a leading - for descending`,
  )
  .default("key")
  .meta({ description: `One of ${LOCK_SORTS.join(", ")}; a leading - sorts descending.`, example: "-held" });

export const FILTER_CHARACTERS_MAX = 300;
export const LockFilter = z.string().max(FILTER_CHARACTERS_MAX).default("").meta({
  description:
    "Words that must all match: `key:GLOB`, `owner:GLOB`, or plain text found in key, owner or record.",
  example: "key:lock:orders:* billing",
});

export const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).default(100),
  cursor: z.string().max(4096).optional().meta({ description: "`next` of the page before." }),
  filter: LockFilter,
  sort: LockSort,
});
export type ListQuery = z.infer<typeof ListQuery>;

export const LockList = z
  .object({ items: z.array(Lock), total: z.int(), next: z.string().optional(), asOf: AS_OF })
  .meta({ id: "LockList" });
export type LockList = z.infer<typeof LockList>;

const OwnerText = z.string().meta({
  description: `1 to ${OWNER_CHARACTERS_MAX} printable characters that name the holder.`,
  example: "checkout@pod-7:311",
});
const LeaseMs = z
  .int(`leaseMs is a whole number of milliseconds from ${LEASE_MS_MIN} to ${LEASE_MS_MAX} (24 hours)`)
  .min(LEASE_MS_MIN, `leaseMs is at least ${LEASE_MS_MIN}`)
  .max(LEASE_MS_MAX, `leaseMs is at most ${LEASE_MS_MAX} (24 hours)`)
  .default(30_000);

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
  })
  .meta({ id: "AcquireInput" });
export type AcquireInput = z.infer<typeof AcquireInput>;

export const RenewInput = z.strictObject({ owner: OwnerText, leaseMs: LeaseMs }).meta({ id: "RenewInput" });
export type RenewInput = z.infer<typeof RenewInput>;

export const ReleaseInput = z.strictObject({ owner: OwnerText }).meta({ id: "ReleaseInput" });
export type ReleaseInput = z.infer<typeof ReleaseInput>;

export const VerifyInput = z
  .strictObject({
    owner: OwnerText,
    fence: FENCE.optional().meta({ description: "Also that it is this very hold." }),
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

export const ForceReleaseInput = z
  .strictObject({
    expect: z.string().min(1).max(400).meta({ description: "`version` of the hold that was seen." }),
    reason: z
      .string()
      .max(REASON_CHARACTERS_MAX)
      .default("")
      .meta({ description: "Why; required while the holder may be alive." }),
    ifUnsure: z.enum(["refuse", "release"]).default("refuse").meta({
      description:
        "release: free whatever hold this owner has now, although we could not watch it all the time.",
    }),
  })
  .meta({ id: "ForceReleaseInput" });
export type ForceReleaseInput = z.infer<typeof ForceReleaseInput>;
