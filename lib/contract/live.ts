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
  .meta({ id: "Scan", description: "A pass over all keys that is under way." });
export type ScanProgress = z.infer<typeof ScanProgress>;

export const MissedChanges = z
  .object({
    found: z.int().meta({ description: "Locks that were there." }),
    gone: z.int().meta({ description: "Locks that were gone before their end." }),
    changed: z.int().meta({ description: "Locks that had another holder." }),
    lastAt: z.number().nullable().meta({ description: "When the last one was found, Redis's clock." }),
  })
  .meta({
    id: "Missed",
    description:
      "What looking has found, since the start, and Redis never told of, although its notifications were on.",
  });
export type MissedChanges = z.infer<typeof MissedChanges>;

export const MasterHealth = z
  .object({
    name: z.string().meta({ description: "`host:port` as it is now." }),
    state: z.enum(["live", "catching_up", "down"]),
    notifications: z.enum(["on", "off"]),
    lagMs: z.number().nullable(),
    clockOffsetMs: z.number().meta({ description: "How far its clock is ahead of Lockkeeper's." }),
    scannedAt: z.number().nullable(),
    scanMs: z.number().nullable(),
    scan: ScanProgress.optional(),
    downSince: z.number().optional().meta({ description: "By Lockkeeper's clock, Unix milliseconds." }),
    detail: z.string().optional(),
  })
  .meta({ id: "MasterHealth" });
export type MasterHealth = z.infer<typeof MasterHealth>;

export const Health = z
  .object({
    now: z.number().meta({ description: "Redis's clock as we know it, Unix milliseconds." }),
    state: z
      .enum(["live", "catching_up", "partial", "down"])
      .meta({ description: "`partial`: some masters do not answer; the locks of the others are right." }),
    notifications: z.enum(["on", "off"]).meta({ description: "`on`: by every master that answers." }),
    lagMs: z
      .number()
      .nullable()
      .meta({ description: "Redis round trip last measured, of the slowest master; null while down." }),
    scannedAt: z.number().nullable().meta({ description: "End of the last full pass, over all masters." }),
    scanMs: z.number().nullable().meta({ description: "How long it took, at the slowest master." }),
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

export const LiveHello = z.object({
  stream: z.string().meta({ description: "POST /live/{stream} changes the view." }),
  now: z.number(),
  operator: z.object({
    name: z.string(),
    may: z.array(Access).meta({ description: "What they may do at this target." }),
    mayEverywhere: z.array(Access).meta({
      description: "What they may do about the server as a whole: at every target, for all keys.",
    }),
  }),
  target: z.object({
    name: z.string(),
    label: z.string(),
    environment: z.string().optional(),
    address: z.string(),
    server: z.string().nullable().meta({ description: "null while it was never reached." }),
    readOnly: z.boolean(),
  }),
  watch: z.array(z.string()),
  lockable: z.array(z.string()),
});
export type LiveHello = z.infer<typeof LiveHello>;

export const LiveWindow = z.object({
  now: z.number(),
  filter: z.string().meta({ description: "Of the view that it answers, as `sort`." }),
  sort: z.string(),
  offset: z.int(),
  total: z.int(),
  held: z.int(),
  items: z.array(Lock),
});
export type LiveWindow = z.infer<typeof LiveWindow>;

/** A row of the window before, by its place there; null: by the same place; or a lock that is new or looks different. */
export const LiveRow = z.union([z.null(), z.int().min(0), Lock]);

/** What has changed since the `window` or `rows` message before; the offset is the same. */
export const LiveRows = z.object({
  now: z.number(),
  total: z.int(),
  held: z.int(),
  rows: z.array(LiveRow),
});
export type LiveRows = z.infer<typeof LiveRows>;

/** A lock of `keep` that the window does not show as it is now. */
export const PinnedLock = z.object({
  lock: Lock,
  ended: LockEvent.optional().meta({ description: "Of a free key: the event that ended its last hold." }),
});
export type PinnedLock = z.infer<typeof PinnedLock>;

/** Messages of GET /live by SSE event name. */
export const LIVE_MESSAGES = {
  hello: LiveHello,
  health: Health,
  window: LiveWindow,
  rows: LiveRows,
  kept: z.object({ now: z.number(), items: z.array(PinnedLock) }),
  lock: z.object({ now: z.number(), lock: Lock }),
  recent: z.object({ items: z.array(HistoryEntry) }),
  events: z.object({
    items: z.array(HistoryEntry),
    skipped: z.int().meta({ description: "How many were left out before these, because too many came." }),
  }),
} as const;

export type LiveMessage = {
  [Name in keyof typeof LIVE_MESSAGES]: { name: Name; data: z.infer<(typeof LIVE_MESSAGES)[Name]> };
}[keyof typeof LIVE_MESSAGES];
