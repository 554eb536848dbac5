import type { Health } from "../../lib/contract/live.ts";
import type { Totals } from "../../lib/contract/stats.ts";
import type { LockStats } from "./lock-stats.ts";

/** The state of one target at a scrape, from which its metrics are computed. */
export interface TargetSample {
  readonly totals: Totals;
  readonly health: Health;
  readonly stats: LockStats;
  readonly interruptions: number;
  readonly isRecorder: boolean;
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  /** Returns the value, or `null` to export no sample. */
  readonly getValue: (shown: TargetSample) => number | null;
  /** Value for a target that has not been reached yet. `undefined` exports no sample. */
  readonly whileUnopened?: number;
}

const toSeconds = (ms: number | null) => (ms === null ? null : ms / 1000);

/** Gauges with one value per target. */
export const GAUGE_DEFINITIONS: readonly MetricDefinition[] = [
  {
    name: "lockkeeper_locks_needing_attention",
    help: "Locks that are overdue, have no TTL, or have been held for more than twice the typical time.",
    getValue: ({ totals }) => totals.needsAttention,
  },
  {
    name: "lockkeeper_locks_ended",
    help: "Locks past their deadline that still exist and can be acquired.",
    getValue: ({ totals }) => totals.ended,
  },
  {
    name: "lockkeeper_locks_unlisted",
    help: "Possible locks that match neither a lockable pattern nor a format rule. No other metric counts them.",
    getValue: ({ health }) => health.unlisted,
  },
  {
    name: "lockkeeper_locks_left_out",
    help: "Locks missing from the index because it is full (LOCKKEEPER_LOCKS_MAX). A lower bound.",
    getValue: ({ health }) => health.leftOut ?? 0,
  },
  {
    name: "lockkeeper_unreadable_keys",
    help: "Watched keys that cannot be read: too large, not permitted, timed out, or refused by Redis.",
    getValue: ({ health }) => health.unreadableKeys?.count ?? 0,
  },
  {
    name: "lockkeeper_waiters",
    help: "Visible clients that are waiting for locks.",
    getValue: ({ totals }) => totals.waiting,
  },
  {
    name: "lockkeeper_target_up",
    help: "1: every master of the target responds.",
    getValue: ({ health }) => (health.state === "down" || health.state === "partial" ? 0 : 1),
    whileUnopened: 0,
  },
  {
    name: "lockkeeper_target_live",
    help: "1: the index of the target's locks is complete and current.",
    getValue: ({ health }) => (health.state === "live" ? 1 : 0),
    whileUnopened: 0,
  },
  {
    name: "lockkeeper_notifications_on",
    help: "1: keyspace notifications are on. 0: keys are scanned instead.",
    getValue: ({ health }) => (health.notifications === "on" ? 1 : 0),
  },
  {
    name: "lockkeeper_polling_ends_seconds",
    help: "Measured time for which the end of a lock can go unseen. Only while notifications are off.",
    getValue: ({ health }) => toSeconds(health.polling?.endsSeenWithinMs ?? null),
  },
  {
    name: "lockkeeper_polling_new_locks_seconds",
    help: "Measured time for which a new lock can go unseen. Only while notifications are off.",
    getValue: ({ health }) => toSeconds(health.polling?.newLocksSeenWithinMs ?? null),
  },
  {
    name: "lockkeeper_recorder",
    help: "1: this instance records the history of the target. Exactly one instance should.",
    getValue: ({ isRecorder }) => (isRecorder ? 1 : 0),
  },
  {
    name: "lockkeeper_redis_round_trip_seconds",
    help: "Last measured Redis round trip of the slowest master.",
    getValue: ({ health }) => (health.roundTripUs === null ? null : health.roundTripUs / 1_000_000),
  },
  {
    name: "lockkeeper_scan_age_seconds",
    help: "Time since the last full scan of the keys ended.",
    getValue: ({ health }) =>
      health.scannedAt === null ? null : Math.max(0, health.now - health.scannedAt) / 1000,
  },
  {
    name: "lockkeeper_scan_duration_seconds",
    help: "Duration of the last full scan of the keys.",
    getValue: ({ health }) => toSeconds(health.scanMs),
  },
];

/** Counters with one value per target, since the start of this process. */
export const COUNTER_DEFINITIONS: readonly MetricDefinition[] = [
  {
    name: "lockkeeper_expired_in_use_total",
    help: "Holds that expired although they had been renewed, or whose holder used them after expiry.",
    getValue: ({ stats }) => stats.expiredInUse,
  },
  {
    name: "lockkeeper_redis_breaks_total",
    help: "How often a master was lost: its connection broke, or it did not respond.",
    getValue: ({ interruptions }) => interruptions,
  },
  {
    name: "lockkeeper_unseen_holds_total",
    help: "Foreign holds that ended before their key was read. They are missing from the history.",
    getValue: ({ health }) => health.unseenHolds ?? 0,
  },
];
