import { z } from "zod";
import { FormatName } from "../format.ts";
import { REASON_CHARACTERS_MAX } from "../limits.ts";
import { asOfSchema, keyFields, SeenVersion } from "../lock.ts";
import { LEASE_MS_MAX, LEASE_MS_MIN } from "./verb.ts";

export const ExtendInput = z
  .strictObject({
    expectedVersion: SeenVersion.meta({ description: "`version` of the lock that was seen." }),
    leaseMs: z
      .int()
      .min(LEASE_MS_MIN)
      .max(LEASE_MS_MAX)
      .meta({ description: "What the holder has at least, from now on.", example: 600_000 }),
    reason: z.string().max(REASON_CHARACTERS_MAX).default("").meta({ description: "Why; required." }),
    onUnverified: z.enum(["refuse", "extend"]).default("refuse").meta({
      description: "extend: whatever hold this owner has now, although we could not watch it all the time.",
    }),
    format: FormatName.optional().meta({
      description: "Required where `release.may` is `with_format`: one of `release.formats`.",
    }),
  })
  .meta({ id: "ExtendInput" });
export type ExtendInput = z.infer<typeof ExtendInput>;

export const Extended = z
  .object({
    ...keyFields,
    outcome: z.enum(["extended", "unchanged"]).meta({
      description: "unchanged: it has as much time already, and nothing was done.",
    }),
    owner: z.string().meta({ description: "Whose hold it is." }),
    by: z.string().meta({ description: "Who asked." }),
    remainingMs: z
      .int()
      .nullable()
      .meta({ description: "What is left to the holder at `asOf`; null: no expiry." }),
    lasts: z.enum(["to_its_end", "until_renewed", "unknown"]).meta({
      description:
        "until_renewed: its library sets its own time at its next renewal, which may be shorter. unknown: it may do so. to_its_end: nobody shortens it. The holder itself is not told: it may stop at the deadline that it knows.",
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "Extended" });
export type Extended = z.infer<typeof Extended>;
