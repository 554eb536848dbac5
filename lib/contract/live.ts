import { z } from "zod";
import { KEY_BYTES_MAX, KEY_PATH_CHARACTERS_MAX } from "../keys/key.ts";
import { Access } from "./access.ts";
import { HistoryEntry, LockEvent } from "./event.ts";
import { COUNTED_FILTERS_MAX, COUNTED_PREFIXES_MAX } from "./limits.ts";
import { LockFilter, LockSort, UNLISTED_DESCRIPTION } from "./list.ts";
import { LiveCounts } from "./live-counts.ts";
import { Lock } from "./lock.ts";
import { POLLING, PollingDelays } from "./polling.ts";
import { WRITE_REFUSALS } from "./refusal.ts";

export const WINDOW_LIMIT_MAX = 200;

const OFFSET = { description: "Number of rows to skip." };
const LIMIT = { description: "Maximum number of rows." };

/**
 * The locks, counts and events that one browser tab displays. Apart from `hello`, `health` and totals, the stream of
 * the tab contains only this data.
 */
export const LiveView = z
  .strictObject({
    filter: LockFilter,
    sort: LockSort,
    offset: z.int().min(0).default(0).meta(OFFSET),
    limit: z.int().min(0).max(WINDOW_LIMIT_MAX).default(100).meta(LIMIT),
    lock: z.string().max(KEY_PATH_CHARACTERS_MAX).optional().meta({
      description:
        "Key of one lock, encoded as in a path. The stream then also carries its state and its events.",
      example: "lock%3Aorders%3A42",
    }),
    keep: z
      .array(z.string().max(KEY_PATH_CHARACTERS_MAX))
      .max(WINDOW_LIMIT_MAX)
      .optional()
      .meta({
        description:
          "Keys of rows to keep on the screen while the order of the list changes, encoded as in a path.",
        example: ["lock%3Aorders%3A41"],
      }),
    events: z.enum(["none", "all"]).default("none").meta({
      description: "`all`: the stream also carries the events of all locks.",
    }),
    counts: z
      .array(LockFilter)
      .max(COUNTED_FILTERS_MAX)
      .optional()
      .meta({ description: "Filters whose matches are counted.", example: ["waiters>0"] }),
    namespaces: z
      .array(z.string().max(KEY_BYTES_MAX))
      .max(COUNTED_PREFIXES_MAX)
      .optional()
      .meta({
        description: "Prefixes whose namespaces are counted, as in `GET /namespaces`.",
        example: ["", "lock:"],
      }),
  })
  .meta({ id: "LiveView" });
export type LiveView = z.infer<typeof LiveView>;

export const LiveQuery = LiveView.omit({ keep: true, counts: true, namespaces: true }).extend({
  // Query values are strings, so they are converted. A body must contain numbers.
  offset: z.coerce.number().int().min(0).default(0).meta(OFFSET),
  limit: z.coerce.number().int().min(0).max(WINDOW_LIMIT_MAX).default(100).meta(LIMIT),
  mode: z.enum(["stream", "poll"]).default("stream").meta({
    description:
      "`stream`: the stream stays open. `poll`: it ends after the first complete state, for browsers without a spare connection.",
  }),
});

export const ScanProgress = z
  .object({
    scanned: z.int().meta({ description: "Number of keys scanned so far, estimated from SCAN." }),
    keys: z.int().nullable().meta({ description: "Number of keys to scan. null if unknown." }),
    ms: z.int().meta({ description: "Elapsed time in milliseconds." }),
  })
  .meta({ id: "ScanProgress", description: "A running SCAN of all keys." });
export type ScanProgress = z.infer<typeof ScanProgress>;

export const MissedChanges = z
  .object({
    found: z.int().meta({ description: "Number of locks that were missing from the index." }),
    gone: z.int().meta({ description: "Number of locks that had disappeared before their end." }),
    changed: z.int().meta({ description: "Number of locks that had a different holder." }),
    lastAt: z.int().nullable().meta({
      description: "When the last one was found, Redis clock, in Unix milliseconds. null if there were none.",
    }),
  })
  .meta({
    id: "MissedChanges",
    description: "Changes found by scans that Redis did not report, although notifications were on.",
  });
export type MissedChanges = z.infer<typeof MissedChanges>;

const SCANNED_AT = z.int().nullable().meta({
  description: "End of the last full scan, in Unix milliseconds. null if there was none.",
});
const SCAN_MS = z.int().nullable().meta({
  description: "Duration of the last full scan (slowest master), in milliseconds. null if none.",
});

/** The state of one master of the target. */
export const MasterHealth = z
  .object({
    name: z.string().meta({ description: "Current `host:port`." }),
    state: z.enum(["live", "catching_up", "down"]).meta({
      description:
        "`live`: connected and up to date. `catching_up`: connected, scanning. `down`: unreachable.",
    }),
    notifications: z.enum(["on", "off"]).meta({ description: "Whether keyspace notifications are enabled." }),
    roundTripUs: z.int().nullable().meta({
      description: "Last measured round trip, in microseconds. null while the master is down.",
    }),
    clockOffsetMs: z.int().meta({
      description: "Offset from Lockkeeper's clock in milliseconds; positive if the master is ahead.",
    }),
    scannedAt: SCANNED_AT,
    scanMs: SCAN_MS,
    scan: ScanProgress.optional(),
    polling: PollingDelays.optional().meta({
      description: "Absent if keyspace notifications arrive or the master is down.",
    }),
    writesRefused: z.enum(WRITE_REFUSALS).optional().meta({
      description:
        "Why the master refuses all writes: `no_replicas` (NOREPLICAS), `persistence_failed` (MISCONF), `out_of_memory` (OOM), `read_only` (READONLY). Absent while it accepts them, and on targets that Lockkeeper may not write to. Checked every 2 seconds.",
    }),
    downSince: z.int().optional().meta({
      description:
        "Start of the outage, Lockkeeper clock, in Unix milliseconds. Present only while it is down.",
    }),
    detail: z.string().optional().meta({ description: "Reason why the master is not `live`." }),
  })
  .meta({ id: "MasterHealth" });
export type MasterHealth = z.infer<typeof MasterHealth>;

export const UnreadableKeyCounts = z
  .object({
    count: z.int().meta({ description: "Number of watched keys that cannot be read, at most 10,000." }),
    byReason: z
      .object({ too_large: z.int(), forbidden: z.int(), timeout: z.int(), error: z.int() })
      .meta({ id: "UnreadableKeysByReason", description: "Number of these keys by reason." }),
  })
  .meta({
    id: "UnreadableKeyCounts",
    description:
      "Watched keys that cannot be read, of a quorum those of the master with the most. Keys that are `too_large` are not locks; the others may be locks that are not shown.",
  });
export type UnreadableKeyCounts = z.infer<typeof UnreadableKeyCounts>;

export const Health = z
  .object({
    now: z.int().meta({ description: "Redis clock, in Unix milliseconds." }),
    state: z.enum(["live", "catching_up", "partial", "down"]).meta({
      description:
        "`live`: connected and up to date. `catching_up`: connected, scanning. `partial`: some masters are unreachable; the locks of the others are up to date. `down`: unreachable.",
    }),
    notifications: z.enum(["on", "off"]).meta({
      description: "`on`: keyspace notifications are enabled on every reachable master.",
    }),
    roundTripUs: z.int().nullable().meta({
      description:
        "Last measured round trip to the slowest master, in microseconds. null while the target is down.",
    }),
    scannedAt: SCANNED_AT,
    scanMs: SCAN_MS,
    scan: ScanProgress.optional().meta({
      description: "Progress of the running scan over all masters. Absent if none is running.",
    }),
    polling: PollingDelays.optional().meta(POLLING),
    missed: MissedChanges,
    locks: z.int().meta({ description: "Number of held locks, without `unlisted`." }),
    unlisted: z.int().meta({ description: UNLISTED_DESCRIPTION }),
    waiting: z.int().meta({ description: "Number of visible waiters." }),
    needsAttention: z.int().meta({
      description: "Number of locks that match the filter `is:needs_attention`.",
    }),
    deadlocks: z.int().meta({ description: "Number of deadlocks, as in `GET /waits`." }),
    leftOut: z.int().optional().meta({
      description: "At least this many locks are not indexed, because `LOCKKEEPER_LOCKS_MAX` is reached.",
    }),
    unreadableKeys: UnreadableKeyCounts.optional().meta({
      description: "Absent if every watched key can be read.",
    }),
    oversizedKeys: z.int().optional().meta({
      description:
        "Number of watched keys whose names are longer than 1,024 bytes. They are left out. At most 1,000 per master are counted.",
    }),
    ignoredEvents: z.int().optional().meta({
      description:
        "Number of messages on the event channel `lockkeeper:events:*` that this instance ignored since its start: malformed, too long, or above the rate limit for holds that were not observed in Redis.",
    }),
    unseenHolds: z.int().optional().meta({
      description:
        "Number of foreign holds since the start of this instance that ended before their key was read. They are not in the history. Holds that may have lasted longer than 200 ms are in a gap.",
    }),
    majority: z.int().optional().meta({
      description:
        "Number of masters that form a majority. Present only on quorum targets; with fewer reachable masters, `state` is `down`.",
    }),
    detail: z.string().optional().meta({
      description: "Reason why the target is not `live` or refuses writes, and what to do.",
    }),
    masters: z.array(MasterHealth),
  })
  .meta({ id: "Health" });
export type Health = z.infer<typeof Health>;

const LiveOperator = z
  .object({
    name: z.string(),
    may: z.array(Access).meta({ description: "The operator's access on this target." }),
    mayEverywhere: z.array(Access).meta({
      description: "The operator's access to all keys of all targets.",
    }),
  })
  .meta({ id: "LiveOperator" });

const LiveTarget = z
  .object({
    name: z.string(),
    label: z.string(),
    environment: z.string().optional(),
    address: z.string(),
    server: z.string().nullable().meta({
      description: "Name and version of the server. null if the target has never been reached.",
    }),
    readOnly: z.boolean(),
  })
  .meta({ id: "LiveTarget" });

export const LiveHello = z
  .object({
    stream: z.string().meta({ description: "Id of the stream. `POST /live/{id}` changes its view." }),
    now: z.int(),
    operator: LiveOperator,
    target: LiveTarget,
    watch: z.array(z.string()).meta({ description: "Patterns of the watched keys." }),
    lockable: z.array(z.string()).meta({ description: "Patterns of the keys that the API can acquire." }),
  })
  .meta({ id: "LiveHello" });
export type LiveHello = z.infer<typeof LiveHello>;

export const LiveWindow = z
  .object({
    now: z.int(),
    filter: z.string().meta({ description: "Filter of the view that this window shows." }),
    sort: z.string().meta({ description: "Sort order of the view that this window shows." }),
    offset: z.int(),
    total: z.int().meta({ description: "Number of locks that match the filter." }),
    held: z.int().meta({ description: "Number of listed locks, regardless of the filter." }),
    items: z.array(Lock),
  })
  .meta({ id: "LiveWindow" });
export type LiveWindow = z.infer<typeof LiveWindow>;

/** One row of a window, described as a change from the previous window. */
export const LiveRow = z
  .object({
    from: z.int().min(0).optional().meta({
      description: "Index of this row in the previous window, if it moved.",
    }),
    lock: Lock.optional().meta({ description: "The lock of this row, if it is new or changed." }),
  })
  .meta({
    id: "LiveRow",
    description:
      "One row of the window. An empty object means that the row is unchanged and at the same index.",
  });

/** Changes to the window since the previous `window` or `rows` message. The offset does not change. */
export const LiveRows = z
  .object({
    now: z.int(),
    total: z.int(),
    held: z.int(),
    rows: z.array(LiveRow),
  })
  .meta({ id: "LiveRows" });
export type LiveRows = z.infer<typeof LiveRows>;

/** A lock that the view requests with `keep` and that is outside the window. */
export const PinnedLock = z
  .object({
    lock: Lock,
    ended: LockEvent.optional().meta({ description: "On a free key: the event that ended its last hold." }),
  })
  .meta({ id: "PinnedLock" });
export type PinnedLock = z.infer<typeof PinnedLock>;

/** The schemas of the messages that GET /live sends, by SSE event name. */
export const LIVE_MESSAGES = {
  hello: LiveHello,
  health: Health,
  window: LiveWindow,
  rows: LiveRows,
  counts: LiveCounts,
  kept: z.object({ now: z.int(), items: z.array(PinnedLock) }).meta({ id: "LivePinnedLocks" }),
  lock: z.object({ now: z.int(), lock: Lock }).meta({ id: "LiveLock" }),
  recent: z.object({ items: z.array(HistoryEntry) }).meta({ id: "LiveRecentEvents" }),
  events: z
    .object({
      items: z.array(HistoryEntry),
      skipped: z.int().meta({
        description: "Number of earlier events that were skipped because the client was reading too slowly.",
      }),
    })
    .meta({ id: "LiveEvents" }),
} as const;

export type LiveMessage = {
  [Name in keyof typeof LIVE_MESSAGES]: { name: Name; data: z.infer<(typeof LIVE_MESSAGES)[Name]> };
}[keyof typeof LIVE_MESSAGES];
