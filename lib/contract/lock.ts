import { z } from "zod";
import { KEY_BYTES_MAX } from "../keys/key.ts";
import { Confidence, FormatName, LockKind } from "./format.ts";
import { ReleaseRequest } from "./holds/release-request.ts";
import { Liveness } from "./liveness.ts";

const keySchema = z.string().meta({
  description: `Name of the lock, which is its Redis key; at most ${KEY_BYTES_MAX} bytes.`,
  example: "lock:orders:42",
});
const keyBase64Schema = z
  .string()
  .optional()
  .meta({ description: "Bytes of the key in base64. Present only if they are not valid UTF-8." });

/** Fields that identify a lock in requests and responses. */
export const keyFields = { key: keySchema, keyBase64: keyBase64Schema };

/** A reference to a lock by its key. */
export const LockKey = z.object(keyFields).meta({ id: "LockKey" });

const sinceIsSchema = z.enum(["exact", "at_least", "reported"]).meta({
  description:
    "`exact`: the start was observed. `at_least`: the lock was already held when Lockkeeper first read it. `reported`: read from the owner string, on the client's clock; if the client waited, it can be the start of the wait.",
});

/** The longest-running hold among several locks, such as the locks of an owner. */
export const OldestHold = z
  .object({
    ...keyFields,
    since: z.int().meta({ description: "Start of the hold, Redis clock, in Unix milliseconds." }),
    sinceIs: sinceIsSchema,
  })
  .meta({ id: "OldestHold", description: "The longest-running hold of a group." });

export const asOfSchema = z
  .int()
  .meta({ description: "Time at which Redis was read, Redis clock, in Unix milliseconds." });
/** The `asOf` field of responses that are computed from the index. */
export const listAsOfSchema = z.int().meta({
  description:
    "Time up to which the index is confirmed to have every change of the locks in it, Redis clock, in Unix milliseconds. With keyspace notifications it is confirmed twice a second; without, by each polling round, and new locks may be missing for longer (`polling` of the target's health). Masters that do not respond are left out.",
});
export const fenceSchema = z.string().regex(/^\d+$/).meta({
  description: "Fencing token: a decimal string that increases with every new hold of the key.",
  example: "1795216496123456",
});

export const RECORD_TEXT_MAX = 200;
/** Maximum length of `session` in characters. The limit ensures that the longest owner record fits into a companion. */
export const SESSION_TEXT_MAX = 64;
const createRecordTextSchema = (what: string) =>
  z.string().max(RECORD_TEXT_MAX).optional().meta({ description: what });

const PID_MAX = 2 ** 31 - 1;
const ownerRecordFields = {
  service: createRecordTextSchema("Application that holds the lock."),
  host: createRecordTextSchema("Machine or pod on which the application runs."),
  pid: z.int().min(0).max(PID_MAX).optional().meta({ description: "Process id." }),
  purpose: createRecordTextSchema("Purpose of the hold."),
  trace: createRecordTextSchema("Trace id or request id of the application."),
  session: z.string().max(SESSION_TEXT_MAX).optional().meta({
    description: "Label that several holds have in common, such as the id of a worker process.",
  }),
};

export const OwnerRecordInput = z.strictObject(ownerRecordFields).meta({
  id: "OwnerRecordInput",
  description:
    "Information about the holder, shown in the console. Texts with control characters or line breaks are refused.",
});

export const OwnerRecord = z
  .object(ownerRecordFields)
  .meta({ id: "OwnerRecord", description: "Information about the holder." });
export type OwnerRecord = z.infer<typeof OwnerRecord>;

export const Holder = z
  .object({
    owner: z.string().meta({
      description:
        "Owner of the hold: the label that an API client chose, or the owner string that another library wrote. Several holds can have the same owner.",
    }),
    ownerBase64: z.string().optional().meta({
      description: "Bytes of the owner in base64. Present only if they are not valid UTF-8.",
    }),
    ownersPerMaster: z.array(z.string()).optional().meta({
      description:
        "Owner strings of this hold, in the order of the masters that have it; `owner` is one of them. Present only if they differ per master (Redisson's RedLock).",
    }),
    role: z.enum(["read", "write"]).optional().meta({
      description: "On a read/write lock: whether this is the read or the write part.",
    }),
    count: z.int().meta({ description: "Re-entrancy count, or the number of permits of a semaphore." }),
    fence: fenceSchema.nullable().meta({
      description: "Fencing token of the hold. null if the lock was not acquired through Lockkeeper.",
    }),
    holdId: z.string().nullable().meta({
      description:
        "Identifies the hold, as returned by `acquire`. null for reservations and for locks acquired by another library: the API cannot renew, re-enter or release them.",
    }),
    record: OwnerRecord.optional().meta({
      description:
        "Information about the holder: sent with `acquire`, or parsed from the owner string (host, pid).",
    }),
    since: z.int().nullable().meta({
      description: "Start of the hold, Redis clock, in Unix milliseconds. null if unknown.",
    }),
    sinceIs: sinceIsSchema,
    remainingMs: z.int().nullable().meta({
      description:
        "Time left to the holder at `asOf`, in milliseconds. null if the hold does not expire. A grace period or a rounded deadline can keep the lock held for longer.",
    }),
    receivesReleaseRequests: z.boolean().optional().meta({
      description:
        "true if the client of this hold reads release requests, so that it can be asked to release the lock. Absent otherwise.",
    }),
    releaseRequested: ReleaseRequest.optional().meta({
      description: "The last request to release this hold. Absent if there is none.",
    }),
    version: z.string().meta({
      description:
        "Identifies this holder's hold. If the lock has several holders, pass it as `expectedVersion` to release only this one.",
    }),
  })
  .meta({ id: "Holder" });
export type Holder = z.infer<typeof Holder>;

export const Waiters = z
  .object({
    count: z.int().nullable().meta({ description: "Number of waiting clients. null if unknown." }),
    known: z.enum(["exact", "estimated", "unknown"]).meta({
      description:
        "`exact`: all waiters are known. `estimated`: counts clients that subscribed to the release, each representing at least one waiter. `unknown`: waiters that poll are not visible; `count` is the number of the visible ones, if any.",
    }),
  })
  .meta({ id: "Waiters" });
export type Waiters = z.infer<typeof Waiters>;

const OwnerVotes = z
  .object({
    owner: z.string().meta({ description: "Owner of the hold." }),
    ownerBase64: z.string().optional().meta({
      description: "Bytes of the owner in base64. Present only if they are not valid UTF-8.",
    }),
    masters: z.int().meta({ description: "Number of masters that have this owner's vote." }),
  })
  .meta({ id: "OwnerVotes" });

export const Votes = z
  .object({
    of: z.int().meta({ description: "Number of masters. A majority of all of them decides." }),
    known: z.int().meta({
      description: "Number of masters whose vote is known. The others are unreachable.",
    }),
    state: z.enum(["decided", "undecided"]).meta({
      description:
        "`decided`: the known votes are enough. `undecided`: the unreachable masters could change the result, so the lock is shown as last decided.",
    }),
    agreement: z.enum(["same_owner", "owner_per_master", "different_owners", "none"]).meta({
      description:
        "`same_owner`: a majority of the masters has one owner string. `owner_per_master`: a majority has one lock whose owner string differs per master, as Redisson's RedLock writes it (see `ownersPerMaster` of the holder). `different_owners`: owners hold a majority of the masters, but no single owner is known to have a majority; the lock cannot be acquired. `none`: no owner has a majority, and the key can be acquired.",
    }),
    owners: z.array(OwnerVotes).meta({
      description: "Owners with votes, most votes first. For a free key: left over from failed attempts.",
    }),
  })
  .meta({ id: "Votes" });
export type Votes = z.infer<typeof Votes>;

/** The operator actions that a lock allows. They depend on the format of the lock and on its confidence. */
export const ReleaseTerms = z
  .object({
    may: z.enum(["yes", "with_format", "never"]).meta({
      description:
        "Whether the lock can be force-released. `yes`: it can. `with_format`: the request must name the format, because the value alone does not determine it. `never`: releasing it would do harm.",
    }),
    formats: z.array(FormatName).meta({
      description: "Formats that the request can name. Empty unless `may` is `with_format`.",
    }),
    oneHolder: z.boolean().meta({
      description: "Whether one of several holders can be released on its own.",
    }),
    reservable: z.boolean().meta({
      description: "Whether a force-release can reserve the lock (`reservedMs`).",
    }),
    why: z.string().optional().meta({
      description: "Why the lock cannot be force-released without further input, or at all.",
    }),
    instead: z.string().optional().meta({ description: "What to do instead." }),
  })
  .meta({ id: "ReleaseTerms" });
export type ReleaseTerms = z.infer<typeof ReleaseTerms>;

/** A query parameter with a point in time, in Unix milliseconds. */
export const timeParameterSchema = z.coerce.number().int().min(0).max(8_640_000_000_000_000);

/** The `version` of a lock, or of one of its holders, as the caller last read it. */
export const SeenVersion = z.string().min(1).max(400);

export const Note = z
  .object({
    text: z.string().meta({ description: "Text of the note, as entered. Plain text." }),
    by: z.string().meta({ description: "Operator or API key that wrote the note." }),
    at: z.int().meta({ description: "When the note was written, Lockkeeper clock, in Unix milliseconds." }),
    about: z.enum(["hold", "key"]).meta({
      description: "`hold`: about the current hold; removed when it ends. `key`: about the key.",
    }),
  })
  .meta({ id: "Note", description: "An operator's note about a lock." });
export type Note = z.infer<typeof Note>;

export const Permits = z
  .object({
    available: z.int().meta({ description: "Number of free permits." }),
    total: z.int().nullable().meta({
      description: "Number of all permits. null if Redis does not store it.",
    }),
  })
  .meta({ id: "Permits" });

export const UNREADABLE_REASONS = ["too_large", "forbidden", "timeout", "error"] as const;
export const UnreadableReason = z.enum(UNREADABLE_REASONS).meta({
  description:
    "`too_large`: larger than Lockkeeper reads. `forbidden`: the Redis user cannot read it. `timeout`: Redis did not return it in time. `error`: Redis returned an error.",
});
export type UnreadableReason = z.infer<typeof UnreadableReason>;

export const Lock = z
  .object({
    target: z.string().meta({ description: "Name of the target." }),
    ...keyFields,
    state: z.enum(["held", "ended", "free"]).meta({
      description:
        "`held`: at least one holder. `ended`: the key still exists, but its deadline has passed and it can be acquired. `free`: no holder.",
    }),
    type: z.enum(["string", "hash", "set", "zset"]).nullable().meta({
      description: "Redis type of the key. null for a free key.",
    }),
    format: FormatName.nullable().meta({ description: "Format of the lock. null for a free key." }),
    candidates: z.array(FormatName).meta({
      description: "Other formats that the value could have. Empty if it is unambiguous.",
    }),
    kind: LockKind.nullable(),
    confidence: Confidence.nullable(),
    unlisted: z.boolean().optional().meta({
      description:
        "true for a `possible` lock whose key matches neither a lockable pattern nor a format rule. The default list leaves it out. Absent otherwise.",
    }),
    unreadable: UnreadableReason.optional().meta({
      description:
        "Only on streams: why the key could not be read. `state` is then `free`, although the lock may be held.",
    }),
    holders: z.array(Holder).meta({ description: "Current holders. Empty for a free key." }),
    permits: Permits.optional().meta({
      description: "Permits of a semaphore. Present only if Redis stores them.",
    }),
    lastFence: fenceSchema.optional().meta({
      description:
        "Only on Redisson's fenced locks: the last fencing token issued. It belongs to the current holder and also increases with each re-entry.",
    }),
    remainingMs: z.int().nullable().meta({
      description:
        "Time to live of the lock at `asOf`, in milliseconds. null for a free key or a lock without TTL.",
    }),
    leaseMs: z.int().nullable().meta({
      description:
        "Requested lease in milliseconds, or the longest time to live observed for this hold. null if neither is known, and for a free key.",
    }),
    waiters: Waiters,
    votes: Votes.optional().meta({ description: "Votes of the masters. Present only on quorum targets." }),
    liveness: Liveness.nullable().meta({
      description: "Whether the holder appears to be alive. null for a free key.",
    }),
    sharedWith: z.array(LockKey).meta({
      description: "Other keys that hold the same token: they were acquired together.",
    }),
    note: Note.optional(),
    runbook: z.string().optional().meta({
      description:
        "Link to a runbook, from the configuration; an http or https URL that contains the percent-encoded key.",
      example: "https://wiki.example/runbooks/orders?key=lock%3Aorders%3A42",
    }),
    release: ReleaseTerms.nullable().meta({
      description: "Which operator actions the lock allows. null for a free key.",
    }),
    version: z.string().nullable().meta({
      description:
        "Identifies the current hold. Pass it as `expectedVersion` to operator actions. null for a free key.",
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "Lock" });
export type Lock = z.infer<typeof Lock>;
