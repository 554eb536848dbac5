import { z } from "zod";

export const LIVENESS_STATES = ["alive", "overdue", "not_renewing", "no_ttl", "unknown"] as const;

/** Whether the holder appears to be alive, with the evidence. */
export const Liveness = z
  .object({
    state: z.enum(LIVENESS_STATES).meta({
      description:
        "`alive`: the holder renews its lease on schedule. `overdue`: an expected renewal did not come. `not_renewing`: no renewal came, although the hold was observed for long enough to see one. `no_ttl`: the lock never expires, so it needs no renewal. `unknown`: the hold was not observed for long enough.",
    }),
    watchedMs: z.int().meta({ description: "How long this hold has been observed, in milliseconds." }),
    renewals: z.int().meta({ description: "Number of renewals observed." }),
    lastRenewalAt: z.int().nullable().meta({
      description:
        "Time of the last observed renewal, Redis clock, Unix milliseconds. null if none was observed.",
    }),
    renewalIntervalMs: z.int().nullable().meta({
      description:
        "Time between renewals, in milliseconds: as observed, or else the default of the library. null if unknown.",
    }),
    nextRenewalExpectedAt: z.int().nullable().meta({
      description:
        "When the next renewal is expected, Redis clock, Unix milliseconds. null if none is expected.",
    }),
    missedRenewals: z
      .int()
      .meta({ description: "Number of expected renewals that did not come since the last one." }),
  })
  .meta({ id: "Liveness" });
export type Liveness = z.infer<typeof Liveness>;
export type LivenessState = Liveness["state"];
