import { z } from "zod";
import { FormatName } from "./format.ts";
import { LIVENESS_STATES } from "./liveness.ts";

const AT = z.int().meta({ description: "Redis's clock, Unix milliseconds." });
const PERIOD = "the last 24 hours, by the hour; all since `since` or `waitsSince` where that is later.";

const WAITS_SINCE = AT.meta({
  description:
    "When this process began. Waits, refusals, failed renewals, expiries in use and series are of this time: the history does not keep them.",
});

/** Times of which the later count for more. */
export const TypicalMs = z
  .object({
    p50: z.int().meta({
      description: "Median, in milliseconds. The error is at most 4.4 % or 0.5 ms, whichever is larger.",
    }),
    p95: z.int().meta({ description: "95th percentile, in milliseconds, with the same error." }),
    samples: z.number().meta({
      description: "How many times these rest on. What is six hours old counts half, a day a sixteenth.",
    }),
  })
  .meta({ id: "TypicalMs" });
export type TypicalMs = z.infer<typeof TypicalMs>;

const Distribution = z
  .array(
    z
      .object({
        fromMs: z.int(),
        toMs: z.int(),
        share: z.number().meta({ description: "Of all times, 0 to 1; older ones count less." }),
      })
      .meta({ id: "DurationBucket", description: "How many times were this long." }),
  )
  .meta({
    description:
      "How the times lie, from the shortest to the longest, without a hole; empty: none is known. Each stretch reaches to 1.4 times its beginning.",
  });

export const TypicalTimes = z
  .object({
    pattern: z.string().meta({
      description: "The keys that this is about: numbers, UUIDs and other ids in the key are `*`.",
      example: "lock:orders:*",
    }),
    heldMs: TypicalMs.nullable().meta({
      description: "How long holds lasted until they were released or expired; null: none has ended yet.",
    }),
    waitedMs: TypicalMs.nullable().meta({
      description:
        "How long those waited who got the lock after a wait, through any Lockkeeper. Of clients of other libraries nobody tells.",
    }),
    heldSpread: Distribution,
    waitedSpread: Distribution,
    since: AT.meta({ description: "Nothing before this is in it." }),
    waitsSince: WAITS_SINCE,
  })
  .meta({ id: "TypicalTimes", description: "What is typical for a lock of this name." });
export type TypicalTimes = z.infer<typeof TypicalTimes>;

export const PATTERN_COUNTS = [
  "acquisitions",
  "waits",
  "refusals",
  "givenUp",
  "expired",
  "expiredInUse",
  "renewalsFailed",
  "forceReleases",
  "evictions",
] as const;
export type PatternCount = (typeof PATTERN_COUNTS)[number];

const COUNT_FIELDS = {
  acquisitions: z.int().meta({ description: "Holds that began; re-entries are none." }),
  waits: z.int().meta({ description: "Acquires through any Lockkeeper that had to wait." }),
  refusals: z.int().meta({ description: "Acquires through this instance that were refused at once." }),
  givenUp: z.int().meta({ description: "Waits that ended without the lock." }),
  expired: z.int().meta({ description: "Holds that nobody released. Reservations do not count." }),
  expiredInUse: z.int().meta({
    description:
      "Of those that expired: the holder had renewed it, or came to renew or release it when it was over. It was still at work, without the lock.",
  }),
  renewalsFailed: z.int().meta({
    description: "Renewals through this instance: the hold was lost, or Redis did not answer.",
  }),
  forceReleases: z.int(),
  evictions: z.int().meta({ description: "Redis took the lock away for want of memory." }),
} satisfies Record<PatternCount, z.ZodType>;

export const PatternStats = z
  .object({ ...TypicalTimes.shape, ...COUNT_FIELDS })
  .omit({ heldSpread: true, waitedSpread: true, since: true, waitsSince: true })
  .meta({ id: "PatternStats", description: `Counts are of ${PERIOD}` });
export type PatternStats = z.infer<typeof PatternStats>;

export const Totals = z
  .object({
    held: z.int(),
    ended: z.int().meta({ description: "Past their deadline and still there, free to take." }),
    waiting: z.int().meta({ description: "As far as they can be seen." }),
    needsAttention: z.int().meta({
      description:
        "As many as the filter `is:needs_attention` finds: late, without expiry, or held for more than twice the typical.",
    }),
    byFormat: z.array(
      z.object({ format: FormatName, held: z.int(), needsAttention: z.int() }).meta({ id: "FormatTotals" }),
    ),
    byLiveness: z.array(
      z.object({ liveness: z.enum(LIVENESS_STATES), held: z.int() }).meta({ id: "LivenessTotals" }),
    ),
  })
  .meta({ id: "Totals" });
export type Totals = z.infer<typeof Totals>;

export const SeriesPoint = z
  .object({
    at: AT.meta({ description: "End of the step, Redis's clock, Unix milliseconds." }),
    held: z.int().meta({ description: "At the end of the step, as `waiting` and `needsAttention`." }),
    waiting: z.int(),
    needsAttention: z.int(),
    acquisitionsPerS: z.number(),
    expired: z.int().meta({ description: "In this step." }),
    waitedMsP95: z.int().nullable().meta({
      description: "Of the waits that got the lock in this step; null: there were none.",
    }),
  })
  .meta({ id: "SeriesPoint" });
export type SeriesPoint = z.infer<typeof SeriesPoint>;

export const SERIES_RANGES = ["hour", "day"] as const;
export type SeriesRange = (typeof SERIES_RANGES)[number];

/** The counts in snake_case, and what is computed from the rest. */
export const PATTERN_SORT_FIELDS = [
  "acquisitions",
  "waits",
  "refusals",
  "given_up",
  "expired",
  "expired_in_use",
  "renewals_failed",
  "force_releases",
  "evictions",
  "pattern",
  "contention",
  "held_p95",
  "waited_p95",
] as const;
export type PatternSortField = (typeof PATTERN_SORT_FIELDS)[number];
const PATTERNS_LIMIT_MAX = 500;

export const StatsQuery = z.strictObject({
  range: z.enum(SERIES_RANGES).default("hour").meta({
    description: "The series: each 10 s of the last hour, or each 5 minutes of the last day.",
  }),
  filter: z.string().max(300).default("").meta({
    description: "Patterns that contain this text; with `*` or `?` in it, that match it as a glob.",
    example: "orders",
  }),
  sort: z.enum(PATTERN_SORT_FIELDS).default("contention").meta({
    description: "Largest first; `pattern` by name. contention: `waits` and `refusals` together.",
  }),
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .meta({ description: "How many patterns come before the first." }),
  limit: z.coerce
    .number()
    .int()
    .min(0)
    .max(PATTERNS_LIMIT_MAX)
    .default(50)
    .meta({ description: "How many patterns there are at most." }),
});
export type StatsQuery = z.infer<typeof StatsQuery>;

const StatsSeries = z
  .object({
    stepMs: z.int(),
    points: z.array(SeriesPoint).meta({ description: "Oldest first. No points before `waitsSince`." }),
  })
  .meta({ id: "StatsSeries" });

const TopPatterns = z
  .object({
    contended: z.array(PatternStats).meta({ description: "Most waits and refusals." }),
    longestWaits: z.array(PatternStats).meta({ description: "Longest p95 wait." }),
    expiredInUse: z.array(PatternStats),
    forceReleases: z.array(PatternStats),
    evictions: z.array(PatternStats),
  })
  .meta({ id: "TopPatterns" });

const PatternPage = z
  .object({
    items: z.array(PatternStats),
    total: z.int().meta({ description: "Number of patterns that match the filter." }),
  })
  .meta({ id: "PatternPage" });

export const Stats = z
  .object({
    target: z.string(),
    now: AT,
    since: AT.meta({
      description: "Since when holds are counted: as far back as the history goes, a day at most.",
    }),
    waitsSince: WAITS_SINCE,
    totals: Totals,
    series: StatsSeries,
    top: TopPatterns,
    patterns: PatternPage,
  })
  .meta({
    id: "Stats",
    description:
      "At most 500 patterns are told apart; the rest are `(other)`. Of clients of other libraries refusals and waits are not known: nobody tells of them.",
  });
export type Stats = z.infer<typeof Stats>;
