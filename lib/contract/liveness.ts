import { z } from "zod";

export const LIVENESS_STATES = ["alive", "overdue", "not_renewing", "no_ttl", "unknown"] as const;

/** Whether the holder is alive, as far as samples tell, with the evidence. */
export const Liveness = z
  .object({
    state: z.enum(LIVENESS_STATES).meta({
      description:
        "alive: the holder renews its lease on schedule. overdue: an expected renewal did not come. not_renewing: no renewal was seen in a watch long enough to see one. no_ttl: the lock never expires, so there is nothing to renew. unknown: not watched long enough.",
    }),
    watchedMs: z.int().meta({ description: "For how long this hold has been looked at." }),
    renewals: z.int().meta({ description: "How many were seen." }),
    lastRenewalAt: z.int().nullable().meta({ description: "Redis's clock, Unix milliseconds." }),
    renewalIntervalMs: z
      .int()
      .nullable()
      .meta({ description: "From one renewal to the next: as seen, else as the library does by default." }),
    nextRenewalExpectedAt: z.int().nullable(),
    missedRenewals: z
      .int()
      .meta({ description: "Renewals that were expected since the last and did not come." }),
  })
  .meta({ id: "Liveness" });
export type Liveness = z.infer<typeof Liveness>;
export type LivenessState = Liveness["state"];
