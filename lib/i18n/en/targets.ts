import type { UnreadableReason } from "@/lib/contract/lock.ts";
import type { FindingCode, NotificationFlag, Severity } from "@/lib/contract/target.ts";

export type FindingFacts = Readonly<Record<string, string>>;

/** Translations of findings, each with a title that states the cause and a description of the risk. */
export type FindingMessages = Record<
  FindingCode,
  { title: (facts: FindingFacts) => string; risk: (facts: FindingFacts) => string }
>;

const severities: Readonly<Record<Severity, string>> = {
  danger: "Danger",
  warning: "Warning",
  unknown: "Unknown",
  note: "Note",
};

/** For each flag of notify-keyspace-events, the changes for which Redis sends no notification without the flag. */
const unseen: Readonly<Record<NotificationFlag, string>> = {
  K: "all changes to individual keys",
  g: "DEL, EXPIRE and RENAME: releases, renewals, manual deletes",
  h: "hashes: Redisson, and locks acquired through this API",
  s: "sets: read locks of distributed-lock",
  z: "sorted sets: semaphores, fair queues",
  x: "expired keys: the end of a lease",
  e: "evicted keys: locks that Redis removed to reclaim memory",
  $: "strings: redlock, redis-py, SETNX locks",
};

const unreadableReasons: Readonly<Record<UnreadableReason, string>> = {
  too_large: "too large",
  forbidden: "not permitted",
  timeout: "timed out",
  error: "error",
};

/**
 * Messages for the targets page, which shows the state of each watched Redis deployment and the risks for its locks.
 */
export const targets = {
  namespace: "targets" as const,
  title: "Targets",
  intro:
    "Every watched Redis, and the settings that put its locks at risk. Lockkeeper changes nothing here: review the commands and run them yourself.",
  loading: "Loading…",
  again: "Try again",
  locks: (count: number, shown: string) => (count === 1 ? "1 lock" : `${shown} locks`),
  triedSince: (clock: string) => `Not connected yet. Lockkeeper has been retrying since ${clock}.`,
  /** Separator between the items of a list. */
  between: ", ",
  topologies: { standalone: "standalone", sentinel: "sentinel", cluster: "cluster", quorum: "quorum" },
  findings: "Findings",
  nothingFound: "No risks found.",
  severities,
  copyCommand: (title: string) => `Copy command: ${title}`,
  atMasters: (names: string) => `On ${names}`,
  unnotifiedTitle: "Redis sends no notifications for these changes. Lockkeeper finds them by scanning:",
  unseen,
  currentFlags: (setting: string) =>
    `notify-keyspace-events is currently “${setting}”. Existing flags are kept.`,
  currentlyEmpty: "notify-keyspace-events is currently empty.",
  orAtStart: "Or start Lockkeeper with LOCKKEEPER_NOTIFICATIONS=set to have it set the flags.",
  unreadableKeys: "Keys that cannot be read",
  unreadableReasons,
  /** Translations of findings; `null` to show the server's messages. */
  translations: null as FindingMessages | null,
  masters: {
    label: "Masters",
    master: "Master",
    version: "Version",
    latency: "Latency",
    memory: "Memory",
    persisted: "Persistence",
    replicas: "Replicas",
    lastScan: "Last scan",
    notifications: "Notifications",
    unknown: "unknown",
    underOneMs: "< 1 ms",
    clockAsOurs: "clock in sync",
    clockAhead: (ms: string) => `clock ${ms} ahead`,
    clockBehind: (ms: string) => `clock ${ms} behind`,
    upFor: (time: string) => `up ${time}`,
    ofLimit: (used: string, limit: string) => `${used} of ${limit}`,
    noLimit: (used: string) => `${used}, no limit`,
    evicted: (count: string) => `${count} evicted`,
    persistence: {
      none: "none",
      snapshots: "snapshots",
      aof: "AOF",
      both: "AOF, snapshots",
    },
    atLeast: (count: number) => `min-replicas-to-write ${count}`,
    scannedAgo: (ago: string) => ago,
    scanTook: (time: string) => `took ${time}`,
    scanRunning: (percent: number) => `scanning, ${percent}%`,
    neverScanned: "not finished yet",
    on: "on",
    off: "off",
    missingFlags: (flags: string) => `missing ${flags}`,
    polled: (ends: string, newLocks: string) =>
      `ended locks seen within ${ends}, new locks within ${newLocks}`,
    downSince: (clock: string) => `since ${clock}`,
  },
};
