import { z } from "zod";
import { FormatName, TimestampUnit, UsedKind } from "../format.ts";
import { Holder, keyFields } from "../lock.ts";
import {
  DeadlockStep,
  HELD_EXAMPLE,
  HELD_FACTS,
  HolderFacts,
  KEY,
  LOCK_EXAMPLE,
  LOCK_NOW,
  REMAINING_MS,
} from "./lock-facts.ts";
import type { ProblemKind } from "./problem-kind.ts";

/** Problems caused by the state or the kind of a lock. */
export const LOCK_PROBLEMS = {
  held: {
    meaning: "Another hold has the lock, and the request did not wait (`waitMs` is absent or 0).",
    outcome: "not_done",
    retry: "after_delay",
    sendsRetryAfter: true,
    remedy: "Send the request with `waitMs` to wait for the lock, or retry after `Retry-After`.",
    facts: HELD_FACTS,
    example: {
      detail: 'The lock is held by "checkout@pod-2:17". It expires in 21480 ms unless it is renewed.',
      ...HELD_EXAMPLE,
    },
  },
  timeout: {
    meaning: "The lock was still held when `waitMs` had passed.",
    outcome: "not_done",
    retry: "after_delay",
    sendsRetryAfter: true,
    remedy: "Retry. With the same `Idempotency-Key` within 5 s, the request keeps its place in the queue.",
    facts: HELD_FACTS,
    example: {
      detail: 'The lock is held by "checkout@pod-2:17". It expires in 21480 ms unless it is renewed.',
      ...HELD_EXAMPLE,
    },
  },
  deadlock: {
    meaning:
      "The wait was part of a deadlock, and its `onDeadlock` was `refuse`. Clients waited for each other's locks, so none could continue.",
    outcome: "not_done",
    retry: "never",
    remedy:
      "Release the locks that you hold, then start again. To prevent the deadlock, acquire locks in the same order everywhere, or all at once.",
    facts: {
      ...keyFields,
      cycle: z.array(DeadlockStep).meta({
        description:
          "The deadlock. Each client is waiting for a lock held by the next one, and the last one for a lock held by the first. Clients that are waiting for locks that you have no permission to read or acquire are omitted.",
      }),
    },
    example: {
      detail:
        'The wait was part of a deadlock, so it was refused. "transfer@pod-4:9" waits for "lock:acct:9", "audit@pod-2:3" waits for "lock:acct:7". Release your locks, then retry.',
      key: "lock:acct:9",
      cycle: [
        { owner: "transfer@pod-4:9", key: "lock:acct:9" },
        { owner: "audit@pod-2:3", key: "lock:acct:7" },
      ],
    },
  },
  lost: {
    meaning:
      "The hold was released or force-released, or its lease expired. Another client may hold the lock.",
    outcome: "ended",
    retry: "never",
    remedy:
      "Stop the work that the lock protects. To continue, acquire the lock again and use the new `fence`.",
    facts: {
      ...keyFields,
      holders: z
        .array(HolderFacts)
        .optional()
        .meta({ description: "The current holders; empty if the lock is free." }),
      remainingMs: REMAINING_MS.optional(),
      owner: z.string().optional().meta({ description: "The owner of the hold that ended." }),
      fence: z
        .string()
        .nullable()
        .optional()
        .meta({ description: "The fencing token of the hold that ended." }),
    },
    example: {
      detail: "This hold has ended: it was released, or its lease expired. Stop the work that it protects.",
      key: KEY,
      holders: [],
      remainingMs: 0,
    },
  },
  not_owner: {
    meaning:
      "The hold belongs to another API key or operator. A `holdId` works only for the caller that acquired it.",
    outcome: "not_done",
    retry: "never",
    remedy: "Use the API key that acquired the hold, or ask an operator to force-release the lock.",
    facts: { ...keyFields },
    example: {
      detail:
        "Another API key or operator acquired this hold. Use the API key that acquired it, or ask an operator to force-release the lock.",
      key: KEY,
    },
  },
  not_a_lock: {
    meaning: "The key exists in Redis and holds data that is not a lock of the requested format.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Use another key, or specify the `format` and `kind` in which the lock is stored.",
    facts: { ...keyFields, redisType: z.string().meta({ description: "The type of the key in Redis." }) },
    example: {
      detail:
        "The key holds a string that is not a lock. It was not changed. Choose another name for the lock.",
      key: KEY,
      redisType: "string",
    },
  },
  unit_conflict: {
    meaning:
      "The key holds a `timestamp` lock whose deadline is in a different unit from the requested one. Its clients would misread yours.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Send the `unit` that the problem contains. All clients of a key must use the same unit.",
    facts: {
      ...keyFields,
      unit: TimestampUnit.meta({ description: "The unit of the stored deadline." }),
    },
    example: {
      detail:
        'The key holds a deadline in seconds, and its clients would misread another unit. It was not changed. Send "unit": "s".',
      key: KEY,
      unit: "s",
    },
  },
  kind_conflict: {
    meaning:
      "The requested kind cannot share a key with the kind that uses it. A semaphore or a latch shares its key with no other kind.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Use the same `kind` in all clients of the key, or another key.",
    facts: {
      ...keyFields,
      kind: UsedKind.meta({ description: "The kind of lock that uses the key." }),
    },
    example: {
      detail:
        "The key is used as a semaphore. Nothing was changed. Use the same kind in all clients of the key, or another key.",
      key: "lock:exports",
      kind: "semaphore",
    },
  },
  limit_conflict: {
    meaning:
      "The `limit` of the request differs from that of the semaphore, or the request is for more permits than the limit. Or the request has no `limit`, and the semaphore does not exist.",
    outcome: "not_done",
    retry: "after_change",
    remedy:
      "Send the `limit` that the problem contains; all clients of a key must state the same one. If it is null, send the `limit` with which to create the semaphore. To change the limit, send `PUT /semaphores/{key}`.",
    facts: {
      ...keyFields,
      limit: z.int().nullable().meta({
        description: "The total number of permits of the semaphore. null if it does not exist.",
      }),
    },
    example: {
      detail: "The semaphore has 10 permits in total. Send this limit, and request at most as many permits.",
      key: "lock:exports",
      limit: 10,
    },
  },
  changed: {
    meaning:
      "The lock no longer has the version that the request expects: the hold has ended or changed hands.",
    outcome: "not_done",
    retry: "after_change",
    remedy:
      "Read the lock again and review its current hold. If you still want the change, send the new `version`.",
    facts: {
      holders: z
        .array(Holder)
        .optional()
        .meta({ description: "The current holders; absent if the lock is free." }),
      remainingMs: REMAINING_MS.optional(),
      lock: LOCK_NOW.optional(),
      version: z
        .string()
        .nullable()
        .optional()
        .meta({ description: "The version of the lock as it is now." }),
    },
    example: {
      detail:
        'This is not the hold that you saw: the lock is now held by "checkout@pod-2:17". Nothing was changed.',
      holders: LOCK_EXAMPLE.holders,
      remainingMs: 21_480,
      lock: LOCK_EXAMPLE,
      version: LOCK_EXAMPLE.version,
    },
  },
  unverified: {
    meaning:
      "The lock has the same owner as the one you saw, but Lockkeeper did not observe it continuously. It may be another hold.",
    outcome: "not_done",
    retry: "after_change",
    remedy:
      "Read the lock again. To proceed with whichever hold exists now, send the new `version`, or the value of `onUnverified` that `detail` names.",
    facts: {
      lock: LOCK_NOW,
      version: z.string().nullable().meta({ description: "The version of the lock as it is now." }),
    },
    example: {
      detail:
        '"checkout@pod-2:17" holds the lock, but Lockkeeper has not observed it continuously since you saw it: it may have been released and acquired again. Nothing was released. To release it anyway, send its current version with "onUnverified": "release".',
      lock: LOCK_EXAMPLE,
      version: LOCK_EXAMPLE.version,
    },
  },
  release_request_unsupported: {
    meaning:
      "The client that holds the lock does not read release requests: it uses another library or registered no handler, or the target is a quorum.",
    outcome: "not_done",
    retry: "never",
    remedy: "Contact the owner of the application, or force-release the lock.",
    facts: { ...keyFields },
    example: {
      detail:
        "The holder did not register a handler for release requests. Nothing was sent. Contact the owner of the application, or force-release the lock.",
      key: KEY,
    },
  },
  condition_unsupported: {
    meaning:
      "Only plain and fair locks of the format `redisson` have conditions, and not on a quorum or with a minimum hold time.",
    outcome: "not_done",
    retry: "never",
    remedy:
      "The hold is unchanged. Acquire the lock with `format: redisson` and `kind: lock` or `kind: fair`, and without `minHoldMs`.",
    facts: { ...keyFields },
    example: {
      detail:
        "A lock of the kind write has no conditions. The hold is unchanged. Use a plain or fair lock of the format redisson.",
      key: KEY,
    },
  },
  read_only: {
    meaning: "The target is read-only, or locks of this kind cannot be changed safely from outside.",
    outcome: "not_done",
    retry: "never",
    remedy: "Follow `instead` if it is present: it describes a safe alternative.",
    facts: {
      why: z.string().meta({ description: "Why the lock cannot be changed." }),
      instead: z.string().optional().meta({ description: "What to do instead." }),
    },
    example: {
      detail:
        'The target "reports" is read-only: Lockkeeper never writes to it. You can still read its locks.',
      why: 'The target "reports" is read-only: Lockkeeper never writes to it.',
    },
  },
  key_not_allowed: {
    meaning:
      "The API does not lock this key: it matches none of the permitted patterns, or cannot be the name of a lock.",
    outcome: "not_done",
    retry: "after_change",
    remedy:
      "Use a key that matches one of `lockable`, or ask an administrator to extend `LOCKKEEPER_LOCKABLE`.",
    facts: {
      lockable: z.array(z.string()).optional().meta({
        description: "The glob patterns that a key must match; absent if no setting permits the key.",
      }),
    },
    example: {
      detail: "The API locks only keys that match lock:*. Rename the lock, or extend LOCKKEEPER_LOCKABLE.",
      lockable: ["lock:*"],
    },
  },
  reason_required: {
    meaning:
      "The holder appears to be alive or its liveness is unknown, the request releases several locks, it extends a lease, or it asks a holder to release a lock. Each of these needs a `reason`.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Send a `reason`. It is recorded in the audit log.",
    facts: {},
    example: { detail: "The holder appears to be alive. Send a `reason`. Nothing was released." },
  },
  format_required: {
    meaning: "Several libraries store locks in this way, and how to release the lock depends on the library.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Send the `format` of the library that the application uses. `formats` lists the choices.",
    facts: {
      formats: z.array(FormatName).meta({ description: "The formats to choose from." }),
      lock: LOCK_NOW,
    },
    example: {
      detail: "Several libraries store locks in this way. Send one of these as `format`: redlock, redsync.",
      formats: ["redlock", "redsync"],
      lock: { ...LOCK_EXAMPLE, type: "string", format: "token", confidence: "possible" },
    },
  },
  confirm_required: {
    meaning: "The request releases several locks of a production target.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Check what would be released, then send the name of the target in `confirm`.",
    facts: { target: z.string().meta({ description: "The name of the target, to send in `confirm`." }) },
    example: {
      detail:
        'The request releases several locks of a production target. Send its name, "main", in `confirm`. Nothing was released.',
      target: "main",
    },
  },
} as const satisfies Record<string, ProblemKind>;
