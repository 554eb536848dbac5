import { z } from "zod";
import { Access } from "./access.ts";
import { HistoryEntry, LockEvent } from "./event.ts";
import { LockFilter, LockSort } from "./list.ts";
import { Lock } from "./lock.ts";

export const WINDOW_LIMIT_MAX = 200;

const OFFSET = { description: "How many rows come before the first." };
const LIMIT = { description: "How many rows there are at most." };

/** What one tab looks at; the stream carries that and no more. */
export const LiveView = z
  .strictObject({
    filter: LockFilter,
    sort: LockSort,
    offset: z.int().min(0).default(0).meta(OFFSET),
    limit: z.int().min(0).max(WINDOW_LIMIT_MAX).default(100).meta(LIMIT),
    lock: z.string().max(2048).optional().meta({
      description: "A key in path form whose state and events are wanted as well.",
      example: "lock%3Aorders%3A42",
    }),
    keep: z
      .array(z.string().max(2048))
      .max(WINDOW_LIMIT_MAX)
      .optional()
      .meta({
        description:
          "Keys in path form that are wanted wherever they stand: rows that somebody still reads, while the order goes on without them.",
        example: ["lock%3Aorders%3A41"],
      }),
    events: z
      .enum(["none", "all"])
      .default("none")
      .meta({ description: "Whether the events of all locks are wanted." }),
  })
  .meta({ id: "LiveView" });
export type LiveView = z.infer<typeof LiveView>;

export const LiveQuery = LiveView.omit({ keep: true }).extend({
  // A query has texts alone; in a body, what is no number is refused.
  offset: z.coerce.number().int().min(0).default(0).meta(OFFSET),
  limit: z.coerce.number().int().min(0).max(WINDOW_LIMIT_MAX).default(100).meta(LIMIT),
  mode: z.enum(["stream", "poll"]).default("stream").meta({
    description:
      "poll: the stream ends after the first complete state. For a browser that has no connection left to keep open.",
  }),
});

/** One Redis that takes writes of the target. */
export const ScanProgress = z
  .object({
    scanned: z.int().meta({ description: "Keys gone through so far, as near as SCAN tells." }),
    keys: z.int().nullable().meta({ description: "Keys to go through; null: Redis does not say." }),
    ms: z.int().meta({ description: "For how long it has been going on." }),
  })
  .meta({ id: "ScanProgress", description: "A SCAN of all keys that is in progress." });
export type ScanProgress = z.infer<typeof ScanProgress>;

export const MissedChanges = z
  .object({
    found: z.int().meta({ description: "Locks that were there." }),
    gone: z.int().meta({ description: "Locks that were gone before their end." }),
    changed: z.int().meta({ description: "Locks that had another holder." }),
    lastAt: z.int().nullable().meta({ description: "When the last one was found, Redis's clock." }),
  })
  .meta({
    id: "MissedChanges",
    description:
      "What looking has found, since the start, and Redis never told of, although its notifications were on.",
  });
export type MissedChanges = z.infer<typeof MissedChanges>;

export const MasterHealth = z
  .object({
    name: z.string().meta({ description: "`host:port` as it is now." }),
    state: z.enum(["live", "catching_up", "down"]),
    notifications: z.enum(["on", "off"]),
    roundTripUs: z.int().nullable().meta({
      description: "Last measured round trip to Redis, in microseconds; null while it is down.",
    }),
    clockOffsetMs: z.int().meta({ description: "How far its clock is ahead of Lockkeeper's." }),
    scannedAt: z.int().nullable(),
    scanMs: z.int().nullable(),
    scan: ScanProgress.optional(),
    downSince: z.int().optional().meta({ description: "By Lockkeeper's clock, Unix milliseconds." }),
    detail: z.string().optional(),
  })
  .meta({ id: "MasterHealth" });
export type MasterHealth = z.infer<typeof MasterHealth>;

export const Health = z
  .object({
    now: z.int().meta({ description: "Redis's clock as we know it, Unix milliseconds." }),
    state: z
      .enum(["live", "catching_up", "partial", "down"])
      .meta({ description: "`partial`: some masters do not answer; the locks of the others are right." }),
    notifications: z.enum(["on", "off"]).meta({ description: "`on`: by every master that answers." }),
    roundTripUs: z.int().nullable().meta({
      description:
        "Last measured round trip to the slowest master, in microseconds; null while the target is down.",
    }),
    scannedAt: z.int().nullable().meta({ description: "End of the last full pass, over all masters." }),
    scanMs: z.int().nullable().meta({ description: "How long it took, at the slowest master." }),
    scan: ScanProgress.optional().meta({
      description: "Present while a pass is under way, over all masters.",
    }),
    missed: MissedChanges,
    locks: z.int(),
    waiting: z.int().meta({ description: "Who waits for locks, as far as it can be seen." }),
    needsAttention: z.int().meta({ description: "Locks that the filter `is:needs_attention` finds." }),
    leftOut: z.int().optional().meta({
      description:
        "At least so many locks are not in the picture, because it has as many as LOCKKEEPER_LOCKS_MAX allows.",
    }),
    majority: z.int().optional().meta({
      description: "Of a quorum: how many masters have to agree. With fewer its state is `down`.",
    }),
    detail: z.string().optional().meta({ description: "What is wrong and what to do about it." }),
    masters: z.array(MasterHealth),
  })
  .meta({ id: "Health" });
export type Health = z.infer<typeof Health>;

const LiveOperator = z
  .object({
    name: z.string(),
    may: z.array(Access).meta({ description: "What the operator may do at this target." }),
    mayEverywhere: z.array(Access).meta({
      description: "What the operator may do at every target and for all keys.",
    }),
  })
  .meta({ id: "LiveOperator" });

const LiveTarget = z
  .object({
    name: z.string(),
    label: z.string(),
    environment: z.string().optional(),
    address: z.string(),
    server: z.string().nullable().meta({ description: "null until the target was first reached." }),
    readOnly: z.boolean(),
  })
  .meta({ id: "LiveTarget" });

export const LiveHello = z
  .object({
    stream: z.string().meta({ description: "POST /live/{stream} changes the view." }),
    now: z.int(),
    operator: LiveOperator,
    target: LiveTarget,
    watch: z.array(z.string()),
    lockable: z.array(z.string()),
  })
  .meta({ id: "LiveHello" });
export type LiveHello = z.infer<typeof LiveHello>;

export const LiveWindow = z
  .object({
    now: z.int(),
    filter: z.string().meta({ description: "Of the view that it answers, as `sort`." }),
    sort: z.string(),
    offset: z.int(),
    total: z.int(),
    held: z.int(),
    items: z.array(Lock),
  })
  .meta({ id: "LiveWindow" });
export type LiveWindow = z.infer<typeof LiveWindow>;

/** One row of a window, by what changed since the message before. */
export const LiveRow = z
  .object({
    from: z.int().min(0).optional().meta({
      description: "The row moved: its index in the previous window.",
    }),
    lock: Lock.optional().meta({ description: "The row is new or changed: its lock." }),
  })
  .meta({ id: "LiveRow", description: "One row of the window. Empty: unchanged, at the same index." });

/** What has changed since the `window` or `rows` message before; the offset is the same. */
export const LiveRows = z
  .object({
    now: z.int(),
    total: z.int(),
    held: z.int(),
    rows: z.array(LiveRow),
  })
  .meta({ id: "LiveRows" });
export type LiveRows = z.infer<typeof LiveRows>;

/** A lock of `keep` that the window does not show as it is now. */
export const PinnedLock = z
  .object({
    lock: Lock,
    ended: LockEvent.optional().meta({ description: "Of a free key: the event that ended its last hold." }),
  })
  .meta({ id: "PinnedLock" });
export type PinnedLock = z.infer<typeof PinnedLock>;

/** Messages of GET /live by SSE event name. */
export const LIVE_MESSAGES = {
  hello: LiveHello,
  health: Health,
  window: LiveWindow,
  rows: LiveRows,
  kept: z.object({ now: z.int(), items: z.array(PinnedLock) }).meta({ id: "LivePinnedLocks" }),
  lock: z.object({ now: z.int(), lock: Lock }).meta({ id: "LiveLock" }),
  recent: z.object({ items: z.array(HistoryEntry) }).meta({ id: "LiveRecentEvents" }),
  events: z
    .object({
      items: z.array(HistoryEntry),
      skipped: z
        .int()
        .meta({ description: "How many earlier events were left out because the reader fell behind." }),
    })
    .meta({ id: "LiveEvents" }),
} as const;

export type LiveMessage = {
  [Name in keyof typeof LIVE_MESSAGES]: { name: Name; data: z.infer<(typeof LIVE_MESSAGES)[Name]> };
}[keyof typeof LIVE_MESSAGES];
