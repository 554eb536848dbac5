import { z } from "zod";
import { FormatName } from "./format.ts";
import { LIVENESS_STATES } from "./liveness.ts";

const AT = z.int().meta({ description: "Redis clock, in Unix milliseconds." });
const PERIOD = "the last 24 hours in steps of one hour, or since `since` or `waitsSince` if that is later.";

const WAITS_SINCE = AT.meta({
  description:
    "Start of this Lockkeeper instance, in Unix milliseconds. Waits, refusals, failed renewals, expiries in use and series are counted from here, because the history does not store them.",
});

/** Percentiles of durations. Recent durations have more weight. */
export const TypicalMs = z
  .object({
    p50: z.int().meta({
      description: "Median in milliseconds. The error is at most 4.4% or 0.5 ms, whichever is larger.",
    }),
    p95: z.int().meta({ description: "95th percentile in milliseconds, with the same error." }),
    samples: z.number().meta({
      description: "Weighted number of samples. A sample's weight halves every six hours.",
    }),
  })
  .meta({ id: "TypicalMs" });
export type TypicalMs = z.infer<typeof TypicalMs>;

const Distribution = z
  .array(
    z
      .object({
        fromMs: z.int().meta({ description: "Lower bound in milliseconds." }),
        toMs: z.int().meta({ description: "Upper bound in milliseconds." }),
        share: z.number().meta({ description: "Share of all samples, from 0 to 1, weighted by age." }),
      })
      .meta({ id: "DurationBucket", description: "One bucket of a histogram of durations." }),
  )
  .meta({
    description:
      "Histogram of durations: contiguous buckets, shortest first. The upper bound of each bucket is 1.4 times its lower bound. Empty if there are no samples.",
  });

export const TypicalTimes = z
  .object({
    pattern: z.string().meta({
      description: "Key pattern: the key with numbers, UUIDs and other ids replaced by `*`.",
      example: "lock:orders:*",
    }),
    heldMs: TypicalMs.nullable().meta({
      description: "How long holds lasted until they were released or expired. null if none has ended.",
    }),
    waitedMs: TypicalMs.nullable().meta({
      description:
        "How long clients waited before they acquired the lock, through any Lockkeeper instance. Waits of other libraries are not visible. null if there were none.",
    }),
    heldSpread: Distribution,
    waitedSpread: Distribution,
    since: AT.meta({
      description: "Start of the period that the figures cover, Redis clock, in Unix milliseconds.",
    }),
    waitsSince: WAITS_SINCE,
  })
  .meta({ id: "TypicalTimes", description: "Typical times of locks with the same key pattern." });
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
  acquisitions: z.int().meta({ description: "Number of holds that started. Re-entries are not counted." }),
  waits: z.int().meta({
    description: "Number of acquire requests, through any Lockkeeper instance, that had to wait.",
  }),
  refusals: z.int().meta({
    description: "Number of acquire requests through this instance that were refused without waiting.",
  }),
  givenUp: z.int().meta({ description: "Number of waits that ended without the lock." }),
  expired: z.int().meta({
    description: "Number of holds that expired without a release. Reservations are not counted.",
  }),
  expiredInUse: z.int().meta({
    description:
      "Number of expired holds whose holder was still working: it had renewed the hold before, or tried to renew or release it after it expired.",
  }),
  renewalsFailed: z.int().meta({
    description:
      "Number of renewals through this instance that failed because the hold was lost or Redis did not respond.",
  }),
  forceReleases: z.int().meta({ description: "Number of force-releases." }),
  evictions: z.int().meta({
    description: "Number of locks that Redis evicted because it was out of memory.",
  }),
} satisfies Record<PatternCount, z.ZodType>;

export const PatternStats = z
  .object({ ...TypicalTimes.shape, ...COUNT_FIELDS })
  .omit({ heldSpread: true, waitedSpread: true, since: true, waitsSince: true })
  .meta({ id: "PatternStats", description: `Figures of one key pattern. Counts cover ${PERIOD}` });
export type PatternStats = z.infer<typeof PatternStats>;

const HELD = z.int().meta({ description: "Number of held locks." });
const NEEDS_ATTENTION = z.int().meta({
  description:
    "Number of locks that need attention: overdue, without TTL, or held for more than twice the 95th percentile of their key pattern.",
});

export const Totals = z
  .object({
    held: HELD,
    ended: z.int().meta({
      description:
        "Number of locks whose deadline has passed but whose key still exists. They can be acquired.",
    }),
    waiting: z.int().meta({ description: "Number of visible waiters." }),
    needsAttention: NEEDS_ATTENTION,
    byFormat: z.array(
      z
        .object({ format: FormatName, held: HELD, needsAttention: NEEDS_ATTENTION })
        .meta({ id: "FormatTotals" }),
    ),
    byLiveness: z.array(
      z.object({ liveness: z.enum(LIVENESS_STATES), held: HELD }).meta({ id: "LivenessTotals" }),
    ),
  })
  .meta({ id: "Totals" });
export type Totals = z.infer<typeof Totals>;

export const SeriesPoint = z
  .object({
    at: AT.meta({ description: "End of the step, Redis clock, in Unix milliseconds." }),
    held: z.int().meta({ description: "Number of held locks at the end of the step." }),
    waiting: z.int().meta({ description: "Number of visible waiters at the end of the step." }),
    needsAttention: z.int().meta({
      description: "Number of locks that needed attention at the end of the step.",
    }),
    acquisitionsPerS: z.number().meta({ description: "Acquired locks per second, average of the step." }),
    expired: z.int().meta({ description: "Number of holds that expired in this step." }),
    waitedMsP95: z.int().nullable().meta({
      description:
        "95th percentile of the waits in this step that ended with the lock, in milliseconds. null if there were none.",
    }),
  })
  .meta({ id: "SeriesPoint" });
export type SeriesPoint = z.infer<typeof SeriesPoint>;

export const SERIES_RANGES = ["hour", "day"] as const;
export type SeriesRange = (typeof SERIES_RANGES)[number];

/** Fields by which key patterns can be sorted. */
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
    description:
      "Range of the series. `hour`: the last hour in steps of 10 s. `day`: the last 24 hours in steps of 5 minutes.",
  }),
  filter: z.string().max(300).default("").meta({
    description:
      "Only patterns that contain this text. With `*` or `?` it is a glob that must match the whole pattern.",
    example: "orders",
  }),
  sort: z.enum(PATTERN_SORT_FIELDS).default("contention").meta({
    description:
      "Sort field, largest value first; `pattern` sorts by name. `contention` is the sum of `waits` and `refusals`.",
  }),
  offset: z.coerce.number().int().min(0).default(0).meta({ description: "Number of patterns to skip." }),
  limit: z.coerce
    .number()
    .int()
    .min(0)
    .max(PATTERNS_LIMIT_MAX)
    .default(50)
    .meta({ description: "Maximum number of patterns to return." }),
});
export type StatsQuery = z.infer<typeof StatsQuery>;

const StatsSeries = z
  .object({
    stepMs: z.int().meta({ description: "Length of a step in milliseconds." }),
    points: z.array(SeriesPoint).meta({
      description: "Points of the series, oldest first. There are none before `waitsSince`.",
    }),
  })
  .meta({ id: "StatsSeries" });

const TopPatterns = z
  .object({
    contended: z.array(PatternStats).meta({ description: "Patterns with the most waits and refusals." }),
    longestWaits: z.array(PatternStats).meta({
      description: "Patterns with the longest 95th percentile of waits.",
    }),
    expiredInUse: z.array(PatternStats).meta({ description: "Patterns with the most expiries in use." }),
    forceReleases: z.array(PatternStats).meta({ description: "Patterns with the most force-releases." }),
    evictions: z.array(PatternStats).meta({ description: "Patterns with the most evictions." }),
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
    target: z.string().meta({ description: "Name of the target." }),
    now: AT,
    since: AT.meta({
      description:
        "Start of the period in which holds are counted, Redis clock, in Unix milliseconds: as far back as the history goes, at most 24 hours.",
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
      "Statistics of a target. At most 500 patterns are listed separately; the rest are combined as `(other)`. Refusals and waits of clients that use other libraries are not visible.",
  });
export type Stats = z.infer<typeof Stats>;
