import { z } from "zod";
import { LockEvent } from "../event.ts";
import { FormatName, formatFields, hasValidUnit, UNIT_ERROR } from "../format.ts";
import { REASON_CHARACTERS_MAX } from "../limits.ts";
import { fenceSchema, keyFields, RECORD_TEXT_MAX, SeenVersion, Waiters } from "../lock.ts";
import { ReservedMs } from "./verb.ts";

export const ForceReleaseInput = z
  .strictObject({
    expectedVersion: SeenVersion.meta({
      description:
        "`version` of the lock that was seen; or of one of its holders, which frees that one alone where `release.oneHolder` says so.",
    }),
    reason: z.string().max(REASON_CHARACTERS_MAX).default("").meta({
      description:
        "Why; required while the holder looks alive: its liveness is `alive` or `unknown`, and it is no reservation.",
    }),
    onUnverified: z.enum(["refuse", "release"]).default("refuse").meta({
      description:
        "release: free whatever hold this owner has now, although we could not watch it all the time.",
    }),
    reservedMs: ReservedMs.optional(),
    format: FormatName.optional().meta({
      description: "Required where `release.may` is `with_format`: one of `release.formats`.",
    }),
  })
  .meta({ id: "ForceReleaseInput" });
export type ForceReleaseInput = z.infer<typeof ForceReleaseInput>;

export const ReserveInput = z
  .strictObject({
    reservedMs: ReservedMs,
    ...formatFields,
    reason: z
      .string()
      .max(RECORD_TEXT_MAX)
      .optional()
      .meta({ description: "Why; shown as the purpose of the hold." }),
  })
  // Its own copy: zod empties what it is given.
  .refine(hasValidUnit, { ...UNIT_ERROR })
  .meta({ id: "ReserveInput" });
export type ReserveInput = z.infer<typeof ReserveInput>;

const JointRelease = z
  .object({ ...keyFields, outcome: z.enum(["released", "already_gone", "changed", "unknown"]) })
  .meta({ id: "JointRelease" });

const MasterRelease = z
  .object({
    name: z.string(),
    outcome: z.enum(["released", "already_gone", "changed", "unreachable", "unknown"]),
  })
  .meta({ id: "MasterRelease" });

/** The answer to a force-release that was carried out, or had nothing left to do. */
export const ForceReleased = z
  .object({
    ...keyFields,
    outcome: z.enum(["released", "already_gone"]),
    owner: z.string().optional().meta({ description: "Whose hold was freed." }),
    fence: fenceSchema.optional().meta({ description: "released: the fence of that hold, if it had one." }),
    heldMs: z
      .int()
      .optional()
      .meta({ description: "released: how long it was held, as far as that was watched." }),
    waiters: Waiters.optional().meta({
      description: "released: who waited just before. Those who listen were woken as its library does it.",
    }),
    by: z.string().meta({ description: "Who asked." }),
    reserved: z
      .object({ owner: z.string(), reservedMs: z.int() })
      .meta({ id: "ForceReleaseReservation" })
      .optional()
      .meta({ description: "released, and nobody gets the lock for so long from `asOf` on." }),
    together: z.array(JointRelease).optional().meta({
      description:
        "released: the other keys that were taken together with this one, by the same token, and what became of each.",
    }),
    masters: z.array(MasterRelease).optional().meta({
      description:
        "released, on a quorum: what became of the hold at each master. Fewer than a majority can still have it: at an unreachable master what is left ends with its lease, and is no hold. changed: that master has somebody else's vote by now.",
    }),
    watchMs: z.int().optional().meta({
      description:
        "released: for how long to look whether its library makes the lock again, told as the event `recreated`.",
    }),
    ended: LockEvent.optional().meta({ description: "already_gone: how the hold ended, if we saw it." }),
    asOf: z.int(),
  })
  .meta({ id: "ForceReleased" });
export type ForceReleased = z.infer<typeof ForceReleased>;
