import type { Health } from "../../lib/contract/live.ts";
import type { Totals } from "../../lib/contract/stats.ts";
import type { LockStats } from "./lock-stats.ts";

/** What one scrape shows of a target. */
export interface TargetSample {
  readonly totals: Totals;
  readonly health: Health;
  readonly stats: LockStats;
  readonly breaks: number;
  readonly isRecorder: boolean;
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  /** null: not known now, so there is no sample. */
  readonly getValue: (shown: TargetSample) => number | null;
  /** The sample of a target that has not been reached yet. */
  readonly whileUnopened?: number;
}

const toSeconds = (ms: number | null) => (ms === null ? null : ms / 1000);

/** One number a target each. */
export const GAUGE_DEFINITIONS: readonly MetricDefinition[] = [
  {
    name: "lockkeeper_locks_needing_attention",
    help: "Locks that are late, without expiry, or held for more than twice the typical.",
    getValue: ({ totals }) => totals.needsAttention,
  },
  {
    name: "lockkeeper_locks_ended",
    help: "Locks past their deadline that are still there, free to take.",
    getValue: ({ totals }) => totals.ended,
  },
  {
    name: "lockkeeper_locks_unlisted",
    help: "Possible locks that match neither a lockable pattern nor a format rule. No other metric counts them.",
    getValue: ({ health }) => health.unlisted,
  },
  {
    name: "lockkeeper_locks_left_out",
    help: "Locks that are not in the picture, at least so many, for want of room (LOCKKEEPER_LOCKS_MAX).",
    getValue: ({ health }) => health.leftOut ?? 0,
  },
  {
    name: "lockkeeper_unreadable_keys",
    help: "Watched keys that cannot be read: too large, not permitted, timed out, or refused by Redis.",
    getValue: ({ health }) => health.unreadableKeys?.count ?? 0,
  },
  {
    name: "lockkeeper_waiters",
    help: "Those who wait for locks now, as far as they can be seen.",
    getValue: ({ totals }) => totals.waiting,
  },
  {
    name: "lockkeeper_target_up",
    help: "1: every master of the target answers.",
    getValue: ({ health }) => (health.state === "down" || health.state === "partial" ? 0 : 1),
    whileUnopened: 0,
  },
  {
    name: "lockkeeper_target_live",
    help: "1: the picture of its locks is whole.",
    getValue: ({ health }) => (health.state === "live" ? 1 : 0),
    whileUnopened: 0,
  },
  {
    name: "lockkeeper_notifications_on",
    help: "1: Redis tells of changes. 0: the keys are scanned instead.",
    getValue: ({ health }) => (health.notifications === "on" ? 1 : 0),
  },
  {
    name: "lockkeeper_polling_ends_seconds",
    help: "Measured: how long the end of a lock can go unseen. Only while notifications are off.",
    getValue: ({ health }) => toSeconds(health.polling?.endsSeenWithinMs ?? null),
  },
  {
    name: "lockkeeper_polling_new_locks_seconds",
    help: "Measured: how long a new lock can go unseen. Only while notifications are off.",
    getValue: ({ health }) => toSeconds(health.polling?.newLocksSeenWithinMs ?? null),
  },
  {
    name: "lockkeeper_recorder",
    help: "1: this instance writes the history of the target. One of all instances should.",
    getValue: ({ isRecorder }) => (isRecorder ? 1 : 0),
  },
  {
    name: "lockkeeper_redis_round_trip_seconds",
    help: "Redis round trip last measured, of the slowest master.",
    getValue: ({ health }) => (health.roundTripUs === null ? null : health.roundTripUs / 1_000_000),
  },
  {
    name: "lockkeeper_scan_age_seconds",
    help: "Time since the end of the last full pass over the keys.",
    getValue: ({ health }) =>
      health.scannedAt === null ? null : Math.max(0, health.now - health.scannedAt) / 1000,
  },
  {
    name: "lockkeeper_scan_duration_seconds",
    help: "How long the last full pass over the keys took.",
    getValue: ({ health }) => toSeconds(health.scanMs),
  },
];

/** Counts that only grow, since the start of this process. */
export const COUNTER_DEFINITIONS: readonly MetricDefinition[] = [
  {
    name: "lockkeeper_expired_in_use_total",
    help: "Holds that expired although they had been renewed, or whose holder came back for them.",
    getValue: ({ stats }) => stats.expiredInUse,
  },
  {
    name: "lockkeeper_redis_breaks_total",
    help: "How often a master went out of touch: its connection broke, or it did not answer.",
    getValue: ({ breaks }) => breaks,
  },
  {
    name: "lockkeeper_unseen_holds_total",
    help: "Foreign holds that ended before their key was read. They are not in the history.",
    getValue: ({ health }) => health.unseenHolds ?? 0,
  },
];
