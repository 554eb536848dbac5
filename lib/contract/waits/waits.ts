import { z } from "zod";
import { KEY_BYTES_MAX } from "../../keys/key.ts";
import { KeyBase64 } from "../actions/key-base64.ts";
import { LIVENESS_STATES } from "../liveness.ts";
import { asOfSchema, keyFields, OwnerRecord } from "../lock.ts";

/** Maximum number of root blockers in a response. */
export const ROOT_BLOCKERS_MAX = 100;
/** Maximum number of waits in a response. Additional waits are counted but not listed. */
export const WAIT_ROWS_MAX = 500;

const ownerFields = {
  owner: z.string().meta({ description: "Label or owner string of the client." }),
  ownerBase64: z.string().optional().meta({
    description: "Bytes of the owner in base64. Present only if they are not valid UTF-8.",
  }),
};
const since = z.int().meta({ description: "Start of the wait, Redis clock, in Unix milliseconds." });
const until = z.int().nullable().meta({
  description: "When the wait times out, Redis clock, in Unix milliseconds. null if unknown.",
});
const waitedMs = z.int().meta({
  description: "Total time for which these clients have been waiting so far, in milliseconds.",
});

export const WaitsQuery = z.strictObject({
  key: z.string().max(KEY_BYTES_MAX).optional().meta({
    description:
      "Only the deadlocks and root blockers that this lock is part of, and `position`: who blocks it, and how many clients are behind it.",
    example: "lock:orders:42",
  }),
  keyBase64: KeyBase64.optional().meta({
    description:
      "Bytes of the key in base64 or base64url, for keys that are not valid UTF-8. Takes precedence over `key`.",
    example: "bG9jazpvcmRlcnM6NDI",
  }),
});
export type WaitsQuery = z.infer<typeof WaitsQuery>;

const WaitedLock = z
  .object({
    ...keyFields,
    waiting: z.int().meta({ description: "Number of clients that wait for this lock." }),
  })
  .meta({ id: "WaitedLock", description: "A lock with waiters." });

const BlockingHolder = z
  .object({ ...ownerFields, record: OwnerRecord.optional() })
  .meta({ id: "BlockingHolder", description: "A holder that blocks others." });

export const WaitingClient = z
  .object({
    depth: z.int().min(1).meta({
      description:
        "Depth in the tree: 1 waits for the root, 2 for a lock that a client of depth 1 holds, and so on.",
    }),
    ...ownerFields,
    by: z.enum(["lockkeeper", "library"]).meta({
      description:
        "`lockkeeper`: waits through Lockkeeper. `library`: is in the queue of Redisson's fair lock.",
    }),
    ...keyFields,
    since,
    sinceIs: z.enum(["exact", "at_least"]).meta({
      description:
        "`at_least`: Redis does not store the start, so it is when Lockkeeper first read the waiter.",
    }),
    until,
    holds: z.array(WaitedLock).meta({
      description:
        "The locks with waiters that this client holds. Their waiters follow with a greater depth.",
    }),
  })
  .meta({ id: "WaitingClient", description: "A waiting client. `key` is the lock that it waits for." });
export type WaitingClient = z.infer<typeof WaitingClient>;

const behindFields = {
  waiting: z.int().meta({ description: "Number of waiting clients, directly or behind other waiters." }),
  unnamed: z.int().meta({
    description:
      "How many of them are known only by number, because they listen for a release. Their wait time is unknown.",
  }),
  waitedMs,
  rows: z.array(WaitingClient).meta({
    description: `The waiting clients as a tree in depth-first order, longest wait first. At most ${WAIT_ROWS_MAX} per response.`,
  }),
  rowsLeftOut: z.int().meta({ description: "Number of named waiting clients that `rows` does not contain." }),
};

export const RootBlocker = z
  .object({
    ...keyFields,
    holders: z.array(BlockingHolder).max(10).meta({ description: "The holders of the lock, at most 10." }),
    holdersLeftOut: z.int().meta({ description: "Number of holders that `holders` does not contain." }),
    liveness: z.enum(LIVENESS_STATES).meta({ description: "Liveness of the holder, as of its last read." }),
    isBehindUnreadable: z.boolean().meta({
      description: "Whether a holder is waiting for a lock that you do not have permission to read.",
    }),
    ...behindFields,
  })
  .meta({ id: "RootBlocker", description: "A lock with waiters whose holder is not known to wait itself." });
export type RootBlocker = z.infer<typeof RootBlocker>;

export const DeadlockWait = z
  .object({
    owner: z
      .string()
      .nullable()
      .meta({ description: "The waiting client. null if you do not have permission to read the lock." }),
    ownerBase64: ownerFields.ownerBase64,
    key: keyFields.key.nullable(),
    keyBase64: keyFields.keyBase64,
    since,
    until,
    holdKey: keyFields.key.nullable().meta({
      description:
        "The lock that this client holds and the previous one waits for. null if you do not have permission to read it.",
    }),
    holdKeyBase64: keyFields.keyBase64,
  })
  .meta({
    id: "DeadlockWait",
    description: "One client of a deadlock. `key` is the lock that it waits for.",
  });
export type DeadlockWait = z.infer<typeof DeadlockWait>;

export const Deadlock = z
  .object({
    id: z.string().meta({ description: "Identifies the set of waits. The same on all instances." }),
    since: z.int().meta({
      description: "When the last wait of the deadlock began, Redis clock, in Unix milliseconds.",
    }),
    until: z.int().nullable().meta({
      description:
        "When the first wait of the cycle times out, Redis clock, in Unix milliseconds. null if unknown.",
    }),
    cycle: z.array(DeadlockWait).meta({
      description:
        "Each client is waiting for a lock held by the next one, and the last one for a lock held by the first.",
    }),
    others: z
      .int()
      .meta({ description: "Further clients of the same deadlock, if several cycles share clients." }),
    ...behindFields,
  })
  .meta({
    id: "Deadlock",
    description: "Clients that wait for each other. The other fields describe the clients behind them.",
  });
export type Deadlock = z.infer<typeof Deadlock>;

const BlockingLock = z
  .object({ ...keyFields, ...ownerFields })
  .meta({ id: "BlockingLock", description: "A lock that blocks others, with its first holder." });

export const WaitPosition = z
  .object({
    waiting: z.int().meta({ description: "Number of clients that wait behind this lock, directly or not." }),
    waitedMs,
    root: BlockingLock.optional().meta({
      description:
        "The root blocker, if it is another lock. Absent if this lock is a root blocker or part of a deadlock.",
    }),
    deadlockId: z
      .string()
      .nullable()
      .meta({ description: "The deadlock that this lock is part of or behind." }),
  })
  .meta({ id: "WaitPosition", description: "The blockers of a lock, and the clients behind it." });

export type WaitPosition = z.infer<typeof WaitPosition>;

export const Waits = z
  .object({
    target: z.string().meta({ description: "Name of the target." }),
    waiting: z.int().meta({ description: "Number of visible waiting clients." }),
    locks: z.int().meta({ description: "Number of locks that they wait for." }),
    locksLeftOut: z.int().meta({
      description:
        "Number of further locks that may have waiters, which are not read because 10,000 locks have waiters. They are missing from all other fields, and deadlocks among them are not found. Counted up to 100,000.",
    }),
    deadlocks: z.array(Deadlock).meta({ description: "Newest first." }),
    roots: z.array(RootBlocker).meta({
      description: `The root blockers, longest total wait first; at most ${ROOT_BLOCKERS_MAX}.`,
    }),
    rootsLeftOut: z.int().meta({ description: "Number of root blockers that `roots` does not contain." }),
    position: WaitPosition.optional().meta({
      description: "Present only with `key` or `keyBase64`, if you may read this lock.",
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "Waits", description: "The wait-for graph. Clients that poll are not visible." });
export type Waits = z.infer<typeof Waits>;
