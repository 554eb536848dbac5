import { z } from "zod";

export const LIVENESS_STATES = ["alive", "overdue", "not_renewing", "no_ttl", "unknown"] as const;

/** Whether the holder appears to be alive, with the evidence. */
export const Liveness = z
  .object({
    state: z.enum(LIVENESS_STATES).meta({
      description:
        "`alive`: the holder renewed its lease when expected. `overdue`: an expected renewal did not come. Requires at least three renewals at a steady interval, a `renewEveryMs` stated with `acquire`, or a library that always renews and was identified with certainty. `not_renewing`: no renewal came for long enough to expect one, and nothing shows that the holder renews regularly. `no_ttl`: the lock never expires, so it needs no renewal. `unknown`: the hold was not observed for long enough, or the lock is a latch, which has no holder.",
    }),
    watchedMs: z.int().meta({
      description:
        "Time since this hold was first observed, in milliseconds. It includes times in which Lockkeeper was not running or not connected, if the hold is the same.",
    }),
    renewals: z
      .int()
      .meta({ description: "Number of renewals observed. Extensions in quick succession count as one." }),
    lastRenewalAt: z.int().nullable().meta({
      description:
        "Time of the last observed renewal, Redis clock, in Unix milliseconds. null if none was observed.",
    }),
    renewalIntervalMs: z.int().nullable().meta({
      description:
        "Time between renewals, in milliseconds: as observed or stated, or else the default of the library. null if unknown.",
    }),
    nextRenewalExpectedAt: z.int().nullable().meta({
      description:
        "When the next renewal is expected, Redis clock, in Unix milliseconds; for an `overdue` holder, when it was expected. null unless the evidence is sufficient for `overdue`.",
    }),
    missedRenewals: z
      .int()
      .meta({ description: "Number of expected renewals that did not come since the last one." }),
  })
  .meta({ id: "Liveness" });
export type Liveness = z.infer<typeof Liveness>;
export type LivenessState = Liveness["state"];
