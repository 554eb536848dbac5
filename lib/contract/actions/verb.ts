import { z } from "zod";
import {
  formatFields,
  hasValidKind,
  hasValidUnit,
  isSemaphoreKind,
  KIND_ERROR,
  kindField,
  UNIT_ERROR,
  WritableFormat,
  WritableKind,
} from "../format.ts";
import { receivesReleaseRequestsSchema, releaseRequestedSchema } from "../holds/release-request.ts";
import { asOfSchema, fenceSchema, keyFields, OwnerRecordInput } from "../lock.ts";

export const LEASE_MS_MIN = 10;
export const LEASE_MS_MAX = 24 * 60 * 60 * 1000;
export const OWNER_CHARACTERS_MAX = 256;

const OwnerText = z.string().meta({
  description: `Label that identifies the holder to people, 1 to ${OWNER_CHARACTERS_MAX} printable characters. Defaults to the name of the API key or operator. It is not used to authorize anything.`,
  // The code of the verbs checks which characters are valid.
  minLength: 1,
  maxLength: OWNER_CHARACTERS_MAX,
  example: "checkout@pod-7:311",
});

/** Creates the schema of a duration in milliseconds, up to 24 hours, which is the maximum lease. */
const createMillisecondsSchema = (least: number) =>
  z
    .int(`must be a whole number of milliseconds from ${least} to ${LEASE_MS_MAX} (24 hours)`)
    .min(least, `must be at least ${least}`)
    .max(LEASE_MS_MAX, `must be at most ${LEASE_MS_MAX} (24 hours)`);

export const LeaseMs = createMillisecondsSchema(LEASE_MS_MIN);
export const LEASE_MS_DEFAULT = 30_000;
/**
 * Maximum length of a `holdId` in characters, enough for the longest key, target and token. The hold ID parser performs
 * all other checks.
 */
export const HOLD_ID_CHARACTERS_MAX = 2403;
export const ReservedMs = createMillisecondsSchema(LEASE_MS_MIN).meta({
  description:
    "Duration of the reservation, in milliseconds. The lock is held in its own format by `lockkeeper:reserve:<name>`, so no client of any library can acquire it.",
});

/**
 * Maximum wait of one request, in ms. To continue to wait for a lock without losing the place in the queue, clients
 * send another request with the same Idempotency-Key.
 */
export const WAIT_MS_MAX = 55_000;

export const HoldIdText = z.string().meta({
  description: "Identifies one hold, as returned by `acquire`. It is not a secret.",
  // The parser of hold ids checks everything else.
  maxLength: HOLD_ID_CHARACTERS_MAX,
  example: "h1.ZGVmYXVsdAByZWRpc3NvbgAA…",
});

/** The fields of every request that acquires locks. */
export const acquireFields = {
  owner: OwnerText.optional(),
  waitMs: z
    .int(`must be a whole number of milliseconds from 0 to ${WAIT_MS_MAX}`)
    .min(0, "must be at least 0")
    .max(
      WAIT_MS_MAX,
      `must be at most ${WAIT_MS_MAX}; to wait longer, repeat the request with the same Idempotency-Key`,
    )
    .optional()
    .meta({
      description:
        "How long to wait for a held lock, in milliseconds. Defaults to 0: fail at once with `held`.",
    }),
  record: OwnerRecordInput.optional(),
  renewEveryMs: createMillisecondsSchema(1).optional().meta({
    description:
      "How often the client will renew the hold, in milliseconds; less than `leaseMs`. If a renewal is late by half of this, the liveness of the lock is `overdue`. Without it, the lock becomes `overdue` only after renewals at a steady interval were observed.",
  }),
  receivesReleaseRequests: receivesReleaseRequestsSchema.meta({
    description:
      "Whether you read `releaseRequested` in responses and answer it. Operators can then ask this hold to release the lock. Ignored on quorum targets.",
  }),
  ...formatFields,
  graceMs: createMillisecondsSchema(0).optional().meta({
    description:
      "Time in milliseconds for which other owners cannot acquire the lock after its lease expires without a release, for example after a crash. Defaults to 0. A release skips it.",
  }),
  minHoldMs: createMillisecondsSchema(0).optional().meta({
    description:
      "Minimum time in milliseconds for which the lock stays held after it was acquired, even if it is released earlier. Defaults to 0. It does not apply if the lease expires.",
  }),
};

export const PERMITS_MAX = 256;
/** Maximum total number of permits of a semaphore. Limited because scripts read all acquired permits. */
export const PERMIT_LIMIT_MAX = 4096;

export const PermitLimit = z
  .int(`must be a whole number from 1 to ${PERMIT_LIMIT_MAX}`)
  .min(1, "must be at least 1")
  .max(PERMIT_LIMIT_MAX, `must be at most ${PERMIT_LIMIT_MAX}`);

/** Additional fields of a request that acquires permits of a semaphore. */
const semaphoreFields = {
  permits: z
    .int(`must be a whole number from 1 to ${PERMITS_MAX}`)
    .min(1, "must be at least 1")
    .max(PERMITS_MAX, `must be at most ${PERMITS_MAX}`)
    .optional()
    .meta({
      description:
        "Number of permits to acquire, all or none. Only for the kinds `semaphore` and `plain_semaphore`. Defaults to 1. The `count` of the hold is this number, and one release returns all permits.",
    }),
  limit: PermitLimit.optional().meta({
    description:
      "Total number of permits of the semaphore. Only for the kinds `semaphore` and `plain_semaphore`. A missing semaphore is created with it. An existing one of the kind `semaphore` must have the same total (`limit_conflict`); that of a `plain_semaphore` is unknown and not compared. Without it, the semaphore must exist.",
  }),
};

/**
 * Reports options that only semaphores support for other kinds, and options that semaphores do not support for
 * semaphores.
 */
function assertSemaphoreOptions(input: AcquireInput, context: z.RefinementCtx): void {
  const isSemaphore = isSemaphoreKind(input.kind);
  for (const field of Object.keys(semaphoreFields)) {
    if (isSemaphore || !(field in input)) continue;
    context.addIssue({
      code: "custom",
      path: [field],
      message: "is only allowed with the kinds semaphore and plain_semaphore",
    });
  }
  for (const field of ["graceMs", "minHoldMs"] as const) {
    if (!isSemaphore || (input[field] ?? 0) === 0) continue;
    context.addIssue({
      code: "custom",
      path: [field],
      message: `is not allowed with the kind ${input.kind}`,
    });
  }
}

/** Additional field of a request that acquires a lock of the kind `read`. */
const yieldsField = {
  yieldsToWriters: z.boolean().optional().meta({
    description:
      "Whether a reader gives way to writers that began to wait earlier. Defaults to true; false lets readers keep out a waiting writer indefinitely. Only for the kind `read`. Binds clients of Lockkeeper only.",
  }),
};

export const HOLDING_MAX = 16;

/** Additional fields with which a waiter declares its holds and chooses how deadlocks are handled. */
const deadlockFields = {
  holding: z.array(HoldIdText).max(HOLDING_MAX).optional().meta({
    description:
      "`holdId`s of your holds that you do not release before this request ends, on the same target. Deadlocks are found from them, and `GET /waits` shows who is blocked behind you. Holds of other callers have no effect. Only with `waitMs`.",
  }),
  onDeadlock: z.enum(["report", "refuse"]).optional().meta({
    description:
      "What happens if the wait becomes part of a deadlock. `report` (default): `GET /waits` lists it. `refuse`: the most recent wait with this option in the deadlock ends with `deadlock`. Not on quorum targets.",
  }),
};

/** The `leaseMs` field of requests that create holds. */
export const NewLeaseMs = LeaseMs.optional().meta({
  description: `Lease of the holds in milliseconds. Defaults to ${LEASE_MS_DEFAULT}.`,
});

/** Adds an issue to `context` for each invalid value or combination of the acquire options in `input`. */
export function assertLockOptions(
  input: Pick<AcquireInput, "format" | "kind" | "unit" | "renewEveryMs" | "leaseMs" | "graceMs">,
  context: z.RefinementCtx,
): void {
  const { renewEveryMs = 0, leaseMs = LEASE_MS_DEFAULT, graceMs = 0 } = input;
  if (!hasValidKind(input)) context.addIssue({ code: "custom", ...KIND_ERROR });
  if (!hasValidUnit(input)) context.addIssue({ code: "custom", ...UNIT_ERROR });
  if (renewEveryMs >= leaseMs)
    context.addIssue({ code: "custom", path: ["renewEveryMs"], message: "must be less than leaseMs" });
  if (leaseMs + graceMs > LEASE_MS_MAX) {
    const message = `leaseMs and graceMs must add up to at most ${LEASE_MS_MAX} (24 hours)`;
    context.addIssue({ code: "custom", path: ["graceMs"], message });
  }
}

export const AcquireInput = z
  .strictObject({
    ...acquireFields,
    ...kindField,
    ...semaphoreFields,
    ...yieldsField,
    ...deadlockFields,
    leaseMs: LeaseMs.optional().meta({
      description: `Lease of the hold in milliseconds. Defaults to ${LEASE_MS_DEFAULT}. With \`reenter\`: the minimum time left afterwards, by default the lease of the hold.`,
    }),
    reenter: HoldIdText.optional().meta({
      description:
        "`holdId` of a hold to re-enter instead of acquiring the lock. The count increases by 1; `holdId` and `fence` stay the same. Requires the same API key and an `Idempotency-Key`. The only other field allowed is `leaseMs`.",
    }),
  })
  .superRefine((input, context) => {
    if (input.reenter !== undefined) {
      for (const field of Object.keys({
        ...acquireFields,
        ...kindField,
        ...semaphoreFields,
        ...yieldsField,
        ...deadlockFields,
      })) {
        if (!(field in input)) continue;
        context.addIssue({
          code: "custom",
          path: [field],
          message: "is not allowed with reenter; only leaseMs is",
        });
      }
      return;
    }
    assertLockOptions(input, context);
    assertSemaphoreOptions(input, context);
  })
  .meta({ id: "AcquireInput" });
export type AcquireInput = z.infer<typeof AcquireInput>;

export const RenewInput = z
  .strictObject({
    leaseMs: LeaseMs.optional().meta({
      description:
        "Minimum time left after the renewal, in milliseconds. Defaults to the lease that the hold was last acquired or renewed with.",
    }),
    receivesReleaseRequests: receivesReleaseRequestsSchema.meta({
      description:
        "Whether you read `releaseRequested` in responses and answer it from now on. It stays set until the hold ends.",
    }),
  })
  .meta({ id: "RenewInput" });
export type RenewInput = z.infer<typeof RenewInput>;

export const ReleaseInput = z
  .strictObject({ reservedMs: ReservedMs.optional() })
  .meta({ id: "ReleaseInput" });
export type ReleaseInput = z.infer<typeof ReleaseInput>;

export const DowngradeInput = z.strictObject({}).meta({ id: "DowngradeInput" });

const holdFields = {
  holdId: HoldIdText,
  target: z.string().meta({ description: "Name of the target." }),
  ...keyFields,
  format: WritableFormat,
  kind: WritableKind,
  fence: fenceSchema,
};

/** The response to a client that acquires, re-enters, renews or downgrades a hold. */
export const Hold = z
  .object({
    ...holdFields,
    owner: z.string().meta({ description: "Owner of the hold." }),
    count: z.int().meta({
      description:
        "Re-entrancy count: the number of releases that end the hold. For a semaphore: the number of its permits, which one release returns.",
    }),
    leaseMs: z.int().meta({ description: "Lease of the hold, in milliseconds." }),
    remainingMs: z.int().meta({
      description:
        "Time left when Redis responded, in milliseconds. Count it from the moment before you sent the request.",
    }),
    waitedMs: z.int().optional().meta({
      description:
        "How long the request waited before the attempt that succeeded, in milliseconds. Present only with `waitMs`. The hold lasts until `waitedMs` + `remainingMs` after you sent the request.",
    }),
    releaseRequested: releaseRequestedSchema,
    asOf: asOfSchema,
  })
  .meta({ id: "Hold" });
export type Hold = z.infer<typeof Hold>;

/** A hold in the name of an operator, during which no client can acquire the lock. */
export const Reservation = Hold.omit({ holdId: true, waitedMs: true, releaseRequested: true }).meta({
  id: "Reservation",
});
export type Reservation = z.infer<typeof Reservation>;

export const HoldStatus = z
  .object({
    ...holdFields,
    held: z.boolean().meta({
      description:
        "Whether the hold exists. false if it never existed, has ended, or the lock has been acquired again since.",
    }),
    owner: z.string().nullable().meta({ description: "Owner of the hold. null if it is not held." }),
    count: z.int().meta({ description: "Re-entrancy count. 0 if it is not held." }),
    remainingMs: z.int().nullable().meta({
      description:
        "Time left at `asOf`, in milliseconds. 0 if it is not held. null if something removed the expiry of the lock.",
    }),
    releaseRequested: releaseRequestedSchema,
    asOf: asOfSchema,
  })
  .meta({ id: "HoldStatus" });
export type HoldStatus = z.infer<typeof HoldStatus>;

export const Released = z
  .object({
    ...holdFields,
    outcome: z.enum(["released", "still_held", "not_held"]).meta({
      description:
        "`released`: the hold has ended. `still_held`: the count decreased, and the hold continues. `not_held`: the hold had already ended; this is not an error.",
    }),
    count: z.int().meta({ description: "Remaining re-entrancy count." }),
    asOf: asOfSchema,
  })
  .meta({ id: "Released" });
export type Released = z.infer<typeof Released>;
