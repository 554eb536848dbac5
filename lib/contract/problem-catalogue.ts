import { z } from "zod";
import { type ErrorCode, STATUS_OF_CODE, TITLE_OF_CODE } from "./error.ts";
import { FormatName, TimestampUnit } from "./format.ts";
import { Holder, keyFields, Lock } from "./lock.ts";
import { createSampleLock } from "./sample-lock.ts";

/** What a problem of one code carries beside the fixed members, and what its reader does about it. */
interface ProblemKind {
  readonly remedy: string;
  readonly facts: z.ZodRawShape;
  /** `detail` and the facts, as they may come. */
  readonly example: { readonly detail: string; readonly [fact: string]: unknown };
}

const HolderFacts = Holder.pick({ owner: true, count: true, fence: true, record: true }).meta({
  id: "HolderFacts",
  description: "Who holds it instead.",
});
const REMAINING_MS = z.number().nullable().meta({ description: "Until it ends by itself; null: no expiry." });
const heldFacts = {
  ...keyFields,
  holders: z.array(HolderFacts),
  remainingMs: REMAINING_MS,
  asOf: z.number().meta({ description: "Redis's clock at the time of reading, Unix milliseconds." }),
};
const LOCK_NOW = Lock.meta({ description: "The lock as it is now." });

const KEY = "lock:orders:42";
const HELD = {
  key: KEY,
  holders: [
    {
      owner: "checkout@pod-2:17",
      count: 1,
      fence: "1795216496123456",
      record: { service: "checkout", host: "pod-2", pid: 17 },
    },
  ],
  remainingMs: 21_480,
  asOf: 1_795_216_504_643,
};
const SEEN = createSampleLock({
  target: "default",
  key: KEY,
  holders: [
    {
      owner: "checkout@pod-2:17",
      count: 1,
      fence: "1795216496123456",
      holdId:
        "h1.ZGVmYXVsdAByZWRpc3NvbgAAMGQyYjdjMWUtOWY1NC00YTZkLThmNmItM2YxZjBlNWE3YzIxOjE3ADE3OTUyMTY0OTYxMjM0NTYAbG9jazpvcmRlcnM6NDI",
      since: 1_795_216_496_123,
      sinceIs: "exact",
      remainingMs: 21_480,
      version: "fence.1795216496123456",
    },
  ],
  remainingMs: 21_480,
  version: "fence.1795216496123456",
  asOf: 1_795_216_504_643,
});

/** By code: the typed facts of each problem. The document, the docs page and the tests read them from here. */
export const PROBLEM_OF_CODE = {
  invalid: {
    remedy: "Correct what `detail` and `errors` name; the same request is refused again.",
    facts: {
      field: z.string().optional(),
      errors: z
        .array(z.object({ field: z.string(), message: z.string() }))
        .optional()
        .meta({ description: "Each field that is wrong, ten at most." }),
    },
    example: {
      detail: "Body, leaseMs: leaseMs is at least 10.",
      errors: [{ field: "leaseMs", message: "leaseMs is at least 10" }],
    },
  },
  unauthenticated: {
    remedy: "Send `Authorization: Bearer <API key>`, or log in again.",
    facts: {},
    example: { detail: "This API key is not known here." },
  },
  forbidden: {
    remedy: "Ask an admin for the role or the key that may do this. Trying again does not help.",
    facts: {},
    example: { detail: "A viewer may not do this." },
  },
  read_only: {
    remedy: "Do what `instead` says, if it is there; nothing was changed.",
    facts: {
      why: z.string(),
      instead: z.string().optional().meta({ description: "What to do instead." }),
    },
    example: {
      detail: "The target reports is read-only: nothing is ever written to it. Its locks can be looked at.",
      why: "The target reports is read-only: nothing is ever written to it.",
    },
  },
  not_found: {
    remedy: "Check the address and the `target`; `detail` names what there is.",
    facts: {},
    example: { detail: 'There is no target "orders"; name one of default, or none for the first.' },
  },
  method_not_allowed: {
    remedy: "Use a method that `allowed` names.",
    facts: { allowed: z.string().meta({ description: "As the header `Allow` has it." }) },
    example: { detail: "This address takes GET.", allowed: "GET" },
  },
  held: {
    remedy: "Try again after `Retry-After`, or ask with `waitMs` and be told as soon as it is free.",
    facts: heldFacts,
    example: {
      detail: 'It is held by "checkout@pod-2:17". Unless it is renewed, the lock ends in 21480 ms.',
      ...HELD,
    },
  },
  lost: {
    remedy:
      "Stop the work that the lock protects: somebody else may be at it already. Then acquire again, for a new fence.",
    facts: {
      ...keyFields,
      holders: z.array(HolderFacts).optional().meta({ description: "Who holds it now; empty: nobody." }),
      remainingMs: REMAINING_MS.optional(),
      owner: z.string().optional(),
      fence: z.string().nullable().optional(),
    },
    example: {
      detail: "This hold has ended: it was released, or its lease ended. Stop the work that it protects.",
      key: KEY,
      holders: [],
      remainingMs: null,
    },
  },
  not_owner: {
    remedy:
      "Renew or release the hold with the API key that acquired it, or ask an operator to force-release the lock. Nothing was done.",
    facts: { ...keyFields },
    example: {
      detail:
        "Another API key or operator acquired this hold. Use the API key that acquired it, or ask an operator to force-release the lock.",
      key: KEY,
    },
  },
  not_a_lock: {
    remedy: "Take another key: this one holds data of another kind, and is never touched.",
    facts: { ...keyFields, redisType: z.string().meta({ description: "What Redis says it is." }) },
    example: {
      detail:
        "The key holds a string that is not a lock. It was not touched; choose another name for the lock.",
      key: KEY,
      redisType: "string",
    },
  },
  unit_conflict: {
    remedy: "Ask with the `unit` that is named here: one key has one unit.",
    facts: {
      ...keyFields,
      unit: TimestampUnit.meta({ description: "The unit of the deadline that is there." }),
    },
    example: {
      detail:
        'The key holds a deadline in seconds, and its clients would misread another one. It was not touched; ask with unit "s".',
      key: KEY,
      unit: "s",
    },
  },
  changed: {
    remedy: "Look at the lock again and decide anew: it is not the hold that you saw. Nothing was freed.",
    facts: {
      holders: z.array(Holder).optional(),
      remainingMs: REMAINING_MS.optional(),
      lock: LOCK_NOW.optional(),
      version: z.string().nullable().optional(),
    },
    example: {
      detail: 'It is held by "checkout@pod-2:17" since, which is not the hold that was seen.',
      holders: SEEN.holders,
      remainingMs: 21_480,
      lock: SEEN,
      version: SEEN.version,
    },
  },
  unverified: {
    remedy:
      "Look at the lock again; if this hold is to be freed whatever it is, ask with the new version, or with `onUnverified: release`.",
    facts: { lock: LOCK_NOW, version: z.string().nullable() },
    example: {
      detail: "We could not watch it all the time since you looked, so it may be another hold.",
      lock: SEEN,
      version: SEEN.version,
    },
  },
  idempotency_key_required: {
    remedy: "Send the request again with an Idempotency-Key. Nothing was done.",
    facts: {},
    example: {
      detail:
        "The hold was entered more than once, so its release needs an Idempotency-Key: without one a repeated request would release it twice. Nothing was done.",
    },
  },
  invalid_hold_id: {
    remedy:
      "Use the `holdId` as `acquire` returned it, and for a re-entry the key and target that it was acquired for.",
    facts: {},
    example: { detail: "The holdId in the path is not one that acquire returned." },
  },
  idempotency_key_reused: {
    remedy: "Take a new Idempotency-Key for each new request; repeat one with the very same request only.",
    facts: {},
    example: {
      detail:
        "This Idempotency-Key was used for another verb, owner or body; take a new one for a new request.",
    },
  },
  timeout: {
    remedy: "Ask again; with the same Idempotency-Key within 5 s it keeps its place.",
    facts: heldFacts,
    example: {
      detail: 'It is held by "checkout@pod-2:17". Unless it is renewed, the lock ends in 21480 ms.',
      ...HELD,
    },
  },
  too_large: {
    remedy: "Send less; `detail` says how much is taken.",
    facts: {},
    example: { detail: "The body is larger than 65536 bytes." },
  },
  unsupported_media_type: {
    remedy: "Send JSON, with `Content-Type: application/json`.",
    facts: {},
    example: { detail: "The Content-Type must be application/json; it is text/plain." },
  },
  key_not_allowed: {
    remedy: "Name the key so that it matches one of `lockable`, or have LOCKKEEPER_LOCKABLE extended.",
    facts: {
      lockable: z
        .array(z.string())
        .optional()
        .meta({ description: "The globs a key has to match; absent when no setting would help." }),
    },
    example: { detail: "Keys of locks match lock:* here.", lockable: ["lock:*"] },
  },
  reason_required: {
    remedy: "Send a `reason`: the holder looks alive, or several locks are freed at once.",
    facts: {},
    example: { detail: "The holder looks alive: say in `reason` why the lock is freed." },
  },
  format_required: {
    remedy: "Name the `format` that the app uses: one of `formats`.",
    facts: {
      formats: z.array(FormatName).meta({ description: "Those that may be named." }),
      lock: LOCK_NOW,
    },
    example: {
      detail: "Its shape does not tell of which library it is: name redlock or redsync.",
      formats: ["redlock", "redsync"],
      lock: { ...SEEN, type: "string", format: "token", confidence: "possible" },
    },
  },
  confirm_required: {
    remedy: "Look at what is to be freed once more, and send the name of the target in `confirm`.",
    facts: { target: z.string().meta({ description: "What has to be sent." }) },
    example: {
      detail:
        'The target is of production, and several locks are to be freed at once: send its name, "main", in `confirm`. Nothing was released.',
      target: "main",
    },
  },
  queue_full: {
    remedy: "Try again later, with a pause that grows.",
    facts: { ...keyFields, waiting: z.int().meta({ description: "How many wait for it." }) },
    example: { detail: "1000 are waiting for this lock already; try again later.", key: KEY, waiting: 1000 },
  },
  rate_limited: {
    remedy: "Wait for `Retry-After`, then ask less often.",
    facts: {
      remainingMs: z.number().meta({ description: "Until it may be tried again." }),
      perSecond: z.number().optional().meta({ description: "Of a limit on requests: so many a second." }),
      burst: z.int().optional().meta({ description: "Of a limit on requests: so many at once." }),
      per: z
        .enum(["caller", "address"])
        .optional()
        .meta({ description: "Whose requests count together; address: those without valid credentials." }),
    },
    example: {
      detail: "One caller may ask 200 times a second, 400 at once. Nothing was done; ask again later.",
      remainingMs: 5,
      perSecond: 200,
      burst: 400,
      per: "caller",
    },
  },
  too_many_waiting: {
    remedy: "Wait for fewer locks at once, or try again after `Retry-After`.",
    facts: { limit: z.int().meta({ description: "As many requests of one caller may wait at once." }) },
    example: { detail: "500 requests of yours are waiting here, which is as many as may be.", limit: 500 },
  },
  uri_too_long: {
    remedy: "Shorten the address; a long key may be written as `~` and its base64url.",
    facts: {},
    example: { detail: "The address is longer than 8000 characters; a key has at most 1024 bytes." },
  },
  headers_too_large: {
    remedy: "Send fewer or shorter headers.",
    facts: {},
    example: { detail: "The headers together are larger than 16 KiB." },
  },
  request_timeout: {
    remedy: "Send the whole request at once; nothing was done.",
    facts: {},
    example: { detail: "The request did not arrive in time." },
  },
  last_admin: {
    remedy: "Make another operator an admin everywhere first.",
    facts: {},
    example: { detail: "mei is the last admin of everything; make another one first." },
  },
  already_exists: {
    remedy: "Choose another name, or use the resource that has it. Nothing was created.",
    facts: { field: z.string().meta({ description: "The member whose value is in use." }) },
    example: {
      detail: 'name: an API key named "checkout" already exists; choose another name.',
      field: "name",
    },
  },
  api_key_inactive: {
    remedy: "Create a new API key. Nothing was changed.",
    facts: { state: z.enum(["expired", "revoked"]) },
    example: { detail: "This API key is revoked; create a new one.", state: "revoked" },
  },
  too_many_streams: {
    remedy: "Close a stream, or try again after `Retry-After`.",
    facts: { limit: z.int().meta({ description: "As many may be open at once." }) },
    example: { detail: "1000 streams are open here, which is as many as may be.", limit: 1000 },
  },
  aborted: {
    remedy: "None is needed: the client gave up the wait itself, and nothing is held.",
    facts: {},
    example: { detail: "The wait was given up." },
  },
  internal: {
    remedy: "Report it with its `requestId`; the server's log has the cause under it.",
    facts: {},
    example: { detail: "This is a fault of Lockkeeper. The server's log has it under this request id." },
  },
  unavailable: {
    remedy: "Nothing was done: try the same again after `Retry-After`.",
    facts: {
      reason: z.enum(["failover_hold_off", "stopping"]).optional().meta({
        description:
          "failover_hold_off: no locks are granted for a while after a failover. stopping: this server ends, and another one may answer.",
      }),
      remainingMs: z.number().optional().meta({ description: "Until locks are granted again." }),
    },
    example: { detail: "Redis does not answer. Nothing was done; try again." },
  },
  not_replicated: {
    remedy: "Try again: it was taken back, because a failover could have lost it.",
    facts: {
      replicas: z.int().meta({ description: "So many were asked for." }),
      confirmed: z.int().optional().meta({
        description: "So many confirmed it; absent when nobody could be asked.",
      }),
    },
    example: { detail: "1 of 2 replicas confirmed it in time.", replicas: 2, confirmed: 1 },
  },
  unknown_outcome: {
    remedy:
      "Repeat it with the same Idempotency-Key, which changes nothing that was done; without one, look at the lock.",
    facts: {},
    example: { detail: "Redis did not answer in time; it may or may not have been done." },
  },
} as const satisfies Record<ErrorCode, ProblemKind>;

/** Pascal case of a code: `not_a_lock` is `NotALock`. */
export function getProblemSchemaName(code: ErrorCode): string {
  const words = code.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Problem`;
}

/** The whole problem document of a code. */
export function createProblemSchema(code: ErrorCode) {
  return z
    .object({
      type: z.string().meta({ description: "Names the code.", example: getProblemType(code) }),
      title: z.string().meta({ example: TITLE_OF_CODE[code] }),
      status: z.int().min(400).max(599).meta({ example: STATUS_OF_CODE[code] }),
      code: z.enum([code]),
      detail: z.string().meta({ description: "What was wrong, what is allowed, what to do." }),
      requestId: z
        .string()
        .optional()
        .meta({ description: "As in the header x-request-id: the server's log has it." }),
      ...PROBLEM_OF_CODE[code].facts,
    })
    .meta({
      id: getProblemSchemaName(code),
      description: `${TITLE_OF_CODE[code]}. ${PROBLEM_OF_CODE[code].remedy}`,
    });
}

export function createProblemExample(code: ErrorCode): object {
  const { detail, ...facts } = PROBLEM_OF_CODE[code].example;
  return {
    ...facts,
    type: getProblemType(code),
    title: TITLE_OF_CODE[code],
    status: STATUS_OF_CODE[code],
    code,
    detail,
    requestId: "5f3a91c2-17",
  };
}

function getProblemType(code: ErrorCode): string {
  return `https://lockkeeper.dev/problems/${code}`;
}
