import { z } from "zod";
import { KEY_BYTES_MAX } from "../keys/key.ts";
import { Confidence, FormatName, LockKind } from "./format.ts";
import { Liveness } from "./liveness.ts";

const keySchema = z.string().meta({
  description: `The lock's name, which is its Redis key (at most ${KEY_BYTES_MAX} bytes).`,
  example: "lock:orders:42",
});
const keyBase64Schema = z
  .string()
  .optional()
  .meta({ description: "The key's bytes, present only when they are not UTF-8." });

/** Fields that both sides use to name a lock. */
export const keyFields = { key: keySchema, keyBase64: keyBase64Schema };

/** A reference to another lock. */
export const LockKey = z.object(keyFields).meta({ id: "LockKey" });

/** The hold that lasts longest among several. */
export const OldestHold = z.object({ ...keyFields, since: z.int() }).meta({ id: "OldestHold" });

export const asOfSchema = z
  .int()
  .meta({ description: "Redis's clock at the time of reading, Unix milliseconds." });
export const fenceSchema = z.string().regex(/^\d+$/).meta({
  description: "Fencing token, a decimal string; grows with every new hold of the key.",
  example: "1795216496123456",
});

export const RECORD_TEXT_MAX = 200;
const createRecordTextSchema = (what: string) =>
  z.string().max(RECORD_TEXT_MAX).optional().meta({ description: what });

const PID_MAX = 2 ** 31 - 1;
const ownerRecordFields = {
  service: createRecordTextSchema("The application that holds the lock."),
  host: createRecordTextSchema("The machine or pod that it runs on."),
  pid: z.int().min(0).max(PID_MAX).optional(),
  purpose: createRecordTextSchema("What the lock is held for."),
  trace: createRecordTextSchema("A trace or request id of the application."),
};

export const OwnerRecordInput = z
  .strictObject(ownerRecordFields)
  .meta({ id: "OwnerRecordInput", description: "What the console shows of the holder." });

export const OwnerRecord = z
  .object(ownerRecordFields)
  .meta({ id: "OwnerRecord", description: "What is known of the holder." });
export type OwnerRecord = z.infer<typeof OwnerRecord>;

export const Holder = z
  .object({
    owner: z.string().meta({
      description:
        "Who holds the lock, for people: the label that an API client chose, which other holds may have as well, or the owner string of another library.",
    }),
    ownerBase64: z
      .string()
      .optional()
      .meta({ description: "The bytes of the owner, present only when they are not UTF-8." }),
    role: z
      .enum(["read", "write"])
      .optional()
      .meta({ description: "In a read/write lock: what this holder has." }),
    count: z.int().meta({ description: "Re-entrancy count, or how many permits of a semaphore it has." }),
    fence: fenceSchema.nullable().meta({ description: "null when the holder took the lock without us." }),
    holdId: z.string().nullable().meta({
      description:
        "Identifies the hold, as `acquire` returned it. null: acquired by another library, or a reservation; the API never enters, renews or releases it.",
    }),
    record: OwnerRecord.optional().meta({
      description: "What it told of itself, or what its owner string carries (host, pid).",
    }),
    since: z.int().nullable().meta({ description: "When the hold began, Redis's clock, Unix milliseconds." }),
    sinceIs: z.enum(["exact", "at_least", "reported"]).meta({
      description:
        "at_least: it was already held when we first looked. reported: the owner string says so, by the clock of its client, and of a client that waited it is when it began to wait.",
    }),
    remainingMs: z.int().nullable().meta({
      description:
        "What is left to the holder itself at `asOf`; null: no expiry. The lock stays taken for longer when the holder asked for a grace, or its deadline is rounded.",
    }),
    version: z.string().meta({
      description:
        "Names this one's hold. Where several hold the lock, `expectedVersion` with it frees this one alone.",
    }),
  })
  .meta({ id: "Holder" });
export type Holder = z.infer<typeof Holder>;

export const Waiters = z
  .object({
    count: z.int().nullable(),
    known: z.enum(["exact", "estimated", "unknown"]).meta({
      description:
        "estimated: clients that listen for the release, each with one waiter or more. unknown: who waits by asking again and again is not seen by anybody; `count` tells of those that are.",
    }),
  })
  .meta({ id: "Waiters" });
export type Waiters = z.infer<typeof Waiters>;

const OwnerVotes = z
  .object({
    owner: z.string(),
    ownerBase64: z.string().optional(),
    masters: z.int().meta({ description: "How many masters have this owner's vote." }),
  })
  .meta({ id: "OwnerVotes" });

export const Votes = z
  .object({
    of: z.int().meta({ description: "How many masters there are; a majority of all of them decides." }),
    known: z.int().meta({ description: "Of how many the vote is known; the others are unreachable." }),
    state: z.enum(["decided", "undecided"]).meta({
      description:
        "undecided: the unreachable masters may decide it either way, so the lock is shown as it was decided last.",
    }),
    owners: z
      .array(OwnerVotes)
      .meta({ description: "Who has votes, most first. Of a free key: what failed tries have left." }),
  })
  .meta({ id: "Votes" });
export type Votes = z.infer<typeof Votes>;

/** What may be done about a lock of this format and confidence, and why not more. */
export const ReleaseTerms = z
  .object({
    may: z.enum(["yes", "with_format", "never"]).meta({
      description:
        "with_format: the request names the format, because its shape alone does not tell. never: freeing it does harm.",
    }),
    formats: z.array(FormatName).meta({ description: "with_format: the ones that may be named." }),
    oneHolder: z.boolean().meta({ description: "Whether one of several holders can be freed alone." }),
    reservable: z
      .boolean()
      .meta({ description: "Whether a force-release can reserve the lock (`reservedMs`)." }),
    why: z.string().optional(),
    instead: z.string().optional().meta({ description: "What to do instead." }),
  })
  .meta({ id: "ReleaseTerms" });
export type ReleaseTerms = z.infer<typeof ReleaseTerms>;

/** A moment that is asked for in a query, Unix milliseconds. */
export const timeParameterSchema = z.coerce.number().int().min(0).max(8_640_000_000_000_000);

/** What the caller saw: `version` of the lock, or of one of its holders. */
export const SeenVersion = z.string().min(1).max(400);

export const Note = z
  .object({
    text: z.string().meta({ description: "Plain text, as somebody typed it." }),
    by: z.string().meta({ description: "Who wrote it." }),
    at: z.int().meta({ description: "Lockkeeper's clock, Unix milliseconds." }),
    about: z.enum(["hold", "key"]).meta({ description: "hold: it ends with this hold." }),
  })
  .meta({ id: "Note", description: "What an operator wrote about a lock." });
export type Note = z.infer<typeof Note>;

const Permits = z.object({ available: z.int(), total: z.int().nullable() }).meta({ id: "Permits" });

export const Lock = z
  .object({
    target: z.string(),
    ...keyFields,
    state: z.enum(["held", "ended", "free"]).meta({
      description: "ended: its deadline has passed and it is still there, free to take.",
    }),
    type: z
      .enum(["string", "hash", "set", "zset"])
      .nullable()
      .meta({ description: "What it is in Redis; null for a free key." }),
    format: FormatName.nullable().meta({ description: "null for a free key." }),
    candidates: z.array(FormatName).meta({
      description: "What else it may be, when its shape does not tell; empty when it does.",
    }),
    kind: LockKind.nullable(),
    confidence: Confidence.nullable(),
    holders: z.array(Holder).meta({ description: "Empty for a free key." }),
    permits: Permits.optional().meta({ description: "Of a semaphore, if Redis stores them." }),
    lastFence: fenceSchema.optional().meta({
      description:
        "Of a fenced lock of Redisson: the last fence that was given out. It is the holder's, and grows with its re-entries, too.",
    }),
    remainingMs: z
      .int()
      .nullable()
      .meta({ description: "Time to live at `asOf`; null for a free key or one without expiry." }),
    leaseMs: z
      .int()
      .nullable()
      .meta({ description: "The lease asked for, or the longest time to live seen of this hold." }),
    waiters: Waiters,
    votes: Votes.optional().meta({ description: "Of a target that is a quorum of independent masters." }),
    liveness: Liveness.nullable().meta({ description: "null for a free key." }),
    sharedWith: z
      .array(LockKey)
      .meta({ description: "Other keys with this very token: they were taken together." }),
    note: Note.optional(),
    runbook: z.string().optional().meta({
      description:
        "What to read when it makes trouble: an https or http address of the configuration, with the key put in percent-encoded.",
      example: "https://wiki.example/runbooks/orders?key=lock%3Aorders%3A42",
    }),
    release: ReleaseTerms.nullable().meta({ description: "null for a free key." }),
    version: z
      .string()
      .nullable()
      .meta({ description: "Names this hold; an operator's action carries it as `expectedVersion`." }),
    asOf: asOfSchema,
  })
  .meta({ id: "Lock" });
export type Lock = z.infer<typeof Lock>;
