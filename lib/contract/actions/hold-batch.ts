import { z } from "zod";
import { Problem } from "../error.ts";
import { releaseRequestedSchema } from "../holds/release-request.ts";
import { asOfSchema } from "../lock.ts";
import { HOLD_ID_CHARACTERS_MAX, HoldIdText, LeaseMs, ReservedMs } from "./verb.ts";

/** Maximum number of holds that one batch request can renew or release. */
export const HOLDS_PER_REQUEST_MAX = 1000;
/** Maximum size of a request body in bytes. Large enough for the maximum number of holds with the longest ids. */
export const HOLD_BATCH_BODY_BYTES_MAX = HOLDS_PER_REQUEST_MAX * (HOLD_ID_CHARACTERS_MAX + 100);

const createHoldsSchema = <Item extends z.ZodType<{ readonly holdId: string }>>(item: Item) =>
  z
    .array(item)
    .min(1)
    .max(
      HOLDS_PER_REQUEST_MAX,
      `must have at most ${HOLDS_PER_REQUEST_MAX} entries; send the rest in another request`,
    )
    .refine((holds) => new Set(holds.map(({ holdId }) => holdId)).size === holds.length, {
      message: "must not contain a holdId twice",
    });

const HoldRenewal = z
  .strictObject({
    holdId: HoldIdText,
    leaseMs: LeaseMs.optional().meta({
      description:
        "Minimum time left after the renewal, in milliseconds. Defaults to the lease that the hold was last acquired or renewed with.",
    }),
  })
  .meta({ id: "HoldRenewalInput" });

export const RenewHoldsInput = z
  .strictObject({
    holds: createHoldsSchema(HoldRenewal).meta({ description: "Holds to renew, each at most once." }),
  })
  .meta({ id: "RenewHoldsInput" });
export type RenewHoldsInput = z.infer<typeof RenewHoldsInput>;

/** The result of one renewal in a batch. Results are in the same order as the holds in the request. */
export const RenewalResult = z
  .object({
    holdId: HoldIdText.meta({ description: "The `holdId` as it was sent." }),
    outcome: z.enum(["renewed", "lost", "unknown"]).meta({
      description:
        "`renewed`: the hold exists, and lasts for `remainingMs`. `lost`: the hold was not renewed, and repeating the request does not help. It has ended if the code of `problem` is `lost`; any other code states why the request was refused. `unknown`: the hold may or may not have been renewed; repeat the request until your own deadline.",
    }),
    remainingMs: z.int().optional().meta({
      description:
        "Present on `renewed`: time left, in milliseconds. Count it from the moment before you sent the request.",
    }),
    leaseMs: z
      .int()
      .optional()
      .meta({ description: "Present on `renewed`: lease of the hold, in milliseconds." }),
    releaseRequested: releaseRequestedSchema.optional(),
    problem: Problem.optional().meta({
      description: "Present on `lost` and `unknown`: the problem document that a single renewal returns.",
    }),
  })
  .meta({ id: "RenewalResult" });
export type RenewalResult = z.infer<typeof RenewalResult>;

export const RenewedHolds = z
  .object({
    results: z
      .array(RenewalResult)
      .meta({ description: "One result for each hold, in the order of the request." }),
    asOf: asOfSchema,
  })
  .meta({ id: "RenewedHolds" });
export type RenewedHolds = z.infer<typeof RenewedHolds>;

const HoldRelease = z
  .strictObject({ holdId: HoldIdText, reservedMs: ReservedMs.optional() })
  .meta({ id: "HoldReleaseInput" });

export const ReleaseHoldsInput = z
  .strictObject({
    holds: createHoldsSchema(HoldRelease).meta({ description: "Holds to release, each at most once." }),
  })
  .meta({ id: "ReleaseHoldsInput" });
export type ReleaseHoldsInput = z.infer<typeof ReleaseHoldsInput>;

/** The result of one release in a batch. Results are in the same order as the holds in the request. */
export const ReleaseResult = z
  .object({
    holdId: HoldIdText.meta({ description: "The `holdId` as it was sent." }),
    outcome: z.enum(["released", "still_held", "not_held", "refused", "unknown"]).meta({
      description:
        "`released`: the hold has ended. `still_held`: the count decreased, and the hold continues. `not_held`: the hold had already ended; this is not an error. `refused`: nothing was done, see `problem`. `unknown`: the hold may or may not have been released; repeat the request with the same Idempotency-Key.",
    }),
    count: z.int().optional().meta({
      description: "Remaining re-entrancy count. Present on `released`, `still_held` and `not_held`.",
    }),
    problem: Problem.optional().meta({
      description: "Present on `refused` and `unknown`: the problem document that a single release returns.",
    }),
  })
  .meta({ id: "ReleaseResult" });
export type ReleaseResult = z.infer<typeof ReleaseResult>;

export const ReleasedHolds = z
  .object({
    results: z
      .array(ReleaseResult)
      .meta({ description: "One result for each hold, in the order of the request." }),
    asOf: asOfSchema,
  })
  .meta({ id: "ReleasedHolds" });
export type ReleasedHolds = z.infer<typeof ReleasedHolds>;
