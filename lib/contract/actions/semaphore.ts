import { z } from "zod";
import { asOfSchema, keyFields } from "../lock.ts";
import { PermitLimit, WAIT_MS_MAX } from "./verb.ts";

export const LATCH_COUNT_MAX = 1_000_000_000;

const targetField = { target: z.string().meta({ description: "Name of the target." }) };

export const SemaphoreInput = z
  .strictObject({
    limit: PermitLimit.meta({
      description: "Total number of permits. A missing semaphore is created with it.",
    }),
  })
  .meta({ id: "SemaphoreInput" });

/** The response that describes a semaphore and its permits. */
export const Semaphore = z
  .object({
    ...targetField,
    ...keyFields,
    limit: z.int().meta({ description: "Total number of permits." }),
    available: z.int().meta({
      description:
        "Permits that are available. Negative if more permits are acquired than `limit`; none is granted until enough of them were released.",
    }),
    acquired: z.int().meta({ description: "Permits that are acquired." }),
    asOf: asOfSchema,
  })
  .meta({ id: "Semaphore" });
export type Semaphore = z.infer<typeof Semaphore>;

export const LatchInput = z
  .strictObject({
    count: z
      .int(`must be a whole number from 1 to ${LATCH_COUNT_MAX}`)
      .min(1, "must be at least 1")
      .max(LATCH_COUNT_MAX, `must be at most ${LATCH_COUNT_MAX}`)
      .meta({ description: "Number of times the latch must be counted down until it opens." }),
  })
  .meta({ id: "LatchInput" });

/** The response that describes a latch and its count. */
export const Latch = z
  .object({
    ...targetField,
    ...keyFields,
    count: z.int().meta({ description: "Remaining count. 0: the latch is open." }),
    asOf: asOfSchema,
  })
  .meta({ id: "Latch" });
export type Latch = z.infer<typeof Latch>;

export const LatchQuery = z.object({
  waitMs: z.coerce
    .number()
    .int(`must be a whole number of milliseconds from 0 to ${WAIT_MS_MAX}`)
    .min(0, "must be at least 0")
    .max(WAIT_MS_MAX, `must be at most ${WAIT_MS_MAX}; to wait longer, repeat the request`)
    .optional()
    .meta({
      description:
        "How long to wait for the latch to open, in milliseconds. Defaults to 0: return the count at once. If the latch is still closed then, the response has its count.",
      example: 10_000,
    }),
  openedAfter: z.coerce
    .number()
    .int("must be a whole number of milliseconds")
    .min(0, "must be at least 0")
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({
      description:
        "The `asOf` of the previous response, to continue its wait: the wait also ends if the latch was opened since then and has a new count now. Only for openings by Lockkeeper.",
      example: 1_795_216_496_123,
    }),
});
