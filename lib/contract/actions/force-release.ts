import { z } from "zod";
import { LockEvent } from "../event.ts";
import { FormatName, formatFields, hasValidKind, hasValidUnit, KIND_ERROR, UNIT_ERROR } from "../format.ts";
import { REASON_CHARACTERS_MAX } from "../limits.ts";
import { asOfSchema, fenceSchema, keyFields, RECORD_TEXT_MAX, SeenVersion, Waiters } from "../lock.ts";
import { ReservedMs } from "./verb.ts";

export const ForceReleaseInput = z
  .strictObject({
    expectedVersion: SeenVersion.meta({
      description:
        "`version` of the lock, or of one of its holders. The version of a holder releases only that holder, and requires that `release.oneHolder` is true.",
    }),
    reason: z.string().max(REASON_CHARACTERS_MAX).default("").meta({
      description:
        "Reason for the release. Required while the holder appears to be alive: its liveness is `alive` or `unknown`, and it is not a reservation.",
    }),
    onUnverified: z.enum(["refuse", "release"]).default("refuse").meta({
      description:
        "What to do if the hold cannot be verified as the expected one, because it was not observed continuously. `refuse`: fail with `unverified`. `release`: release the hold that the same owner has now.",
    }),
    reservedMs: ReservedMs.optional(),
    format: FormatName.optional().meta({
      description:
        "Format of the lock; one of `release.formats`. Required if `release.may` is `with_format`.",
    }),
  })
  .meta({ id: "ForceReleaseInput" });
export type ForceReleaseInput = z.infer<typeof ForceReleaseInput>;

export const ReserveInput = z
  .strictObject({
    reservedMs: ReservedMs,
    ...formatFields,
    kind: z.enum(["lock", "write"]).optional().meta({
      description:
        "Kind of the lock. Defaults to `lock`. `write` reserves a read/write lock of the format `redisson`, whose clients ignore a reservation of the kind `lock`.",
    }),
    reason: z
      .string()
      .max(RECORD_TEXT_MAX)
      .optional()
      .meta({ description: "Reason, shown as the purpose of the hold." }),
  })
  // Passes copies of the error objects, because zod modifies its arguments.
  .refine(hasValidUnit, { ...UNIT_ERROR })
  .refine(hasValidKind, { ...KIND_ERROR })
  .meta({ id: "ReserveInput" });
export type ReserveInput = z.infer<typeof ReserveInput>;

const JointRelease = z
  .object({
    ...keyFields,
    outcome: z.enum(["released", "already_gone", "changed", "unknown"]).meta({
      description:
        "`released`: released. `already_gone`: the key had no holder. `changed`: the key has a different holder. `unknown`: no response in time.",
    }),
  })
  .meta({ id: "JointRelease" });

const MasterRelease = z
  .object({
    name: z.string().meta({ description: "`host:port` of the master." }),
    outcome: z.enum(["released", "already_gone", "changed", "unreachable", "unknown"]).meta({
      description:
        "`released`: released. `already_gone`: this master had no such hold. `changed`: this master has a different owner's vote. `unreachable`: not sent; what is left there expires with its lease. `unknown`: no response in time.",
    }),
  })
  .meta({ id: "MasterRelease" });

/** The response to a force-release. */
export const ForceReleased = z
  .object({
    ...keyFields,
    outcome: z
      .enum(["released", "already_gone"])
      .meta({ description: "`released`: the hold was released. `already_gone`: it had already ended." }),
    owner: z.string().optional().meta({ description: "Owner of the released hold." }),
    fence: fenceSchema
      .optional()
      .meta({ description: "On `released`: the fencing token of the hold. Absent if it had none." }),
    heldMs: z.int().optional().meta({
      description: "On `released`: how long the lock was held, in milliseconds, as far as observed.",
    }),
    waiters: Waiters.optional().meta({
      description:
        "On `released`: the waiters just before the release. Waiters that subscribe were notified as their library does.",
    }),
    by: z.string().meta({ description: "Operator or API key that made the request." }),
    reserved: z
      .object({
        owner: z.string().meta({ description: "Owner of the reservation." }),
        reservedMs: z.int().meta({ description: "Duration of the reservation, in milliseconds." }),
      })
      .meta({ id: "ForceReleaseReservation" })
      .optional()
      .meta({
        description:
          "On `released` with `reservedMs`: the reservation. It lasts `reservedMs` milliseconds from `asOf`.",
      }),
    together: z.array(JointRelease).optional().meta({
      description:
        "On `released`: the other keys that were acquired with the same token, each with its outcome.",
    }),
    masters: z.array(MasterRelease).optional().meta({
      description:
        "On `released` on a quorum target: the outcome on each master. Fewer than a majority can still have the hold, so the lock is released.",
    }),
    watchMs: z.int().optional().meta({
      description:
        "On `released`: how long the library might still recreate the lock, in milliseconds. Watch for the event `recreated` during this time.",
    }),
    ended: LockEvent.optional().meta({
      description: "On `already_gone`: the event that ended the hold, if it was observed.",
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "ForceReleased" });
export type ForceReleased = z.infer<typeof ForceReleased>;
