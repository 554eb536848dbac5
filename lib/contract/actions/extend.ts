import { z } from "zod";
import { FormatName } from "../format.ts";
import { REASON_CHARACTERS_MAX } from "../limits.ts";
import { asOfSchema, keyFields, SeenVersion } from "../lock.ts";
import { LEASE_MS_MAX, LEASE_MS_MIN } from "./verb.ts";

export const ExtendInput = z
  .strictObject({
    expectedVersion: SeenVersion.meta({ description: "`version` of the lock to extend." }),
    leaseMs: z
      .int()
      .min(LEASE_MS_MIN)
      .max(LEASE_MS_MAX)
      .meta({ description: "Minimum time to live from now on, in milliseconds.", example: 600_000 }),
    reason: z
      .string()
      .max(REASON_CHARACTERS_MAX)
      .default("")
      .meta({ description: "Reason for the extension. Required." }),
    onUnverified: z.enum(["refuse", "extend"]).default("refuse").meta({
      description:
        "What to do if the hold cannot be verified as the expected one, because it was not observed continuously. `refuse`: fail with `unverified`. `extend`: extend the hold that the same owner has now.",
    }),
    format: FormatName.optional().meta({
      description:
        "Format of the lock; one of `release.formats`. Required if `release.may` is `with_format`.",
    }),
  })
  .meta({ id: "ExtendInput" });
export type ExtendInput = z.infer<typeof ExtendInput>;

export const Extended = z
  .object({
    ...keyFields,
    outcome: z.enum(["extended", "unchanged"]).meta({
      description:
        "`extended`: the time to live was set. `unchanged`: the hold already had at least this time.",
    }),
    owner: z.string().meta({ description: "Owner of the hold." }),
    by: z.string().meta({ description: "Operator or API key that made the request." }),
    remainingMs: z
      .int()
      .nullable()
      .meta({ description: "Time to live at `asOf`, in milliseconds. null if the hold does not expire." }),
    lasts: z.enum(["to_its_end", "until_renewed", "unknown"]).meta({
      description:
        "How long the extension lasts. `to_its_end`: nothing shortens it. `until_renewed`: the next renewal by the library replaces it, possibly by a shorter time. `unknown`: the library may do so. The holder is not notified and may stop at the deadline that it knows.",
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "Extended" });
export type Extended = z.infer<typeof Extended>;
