import type { UnreadableReason } from "@/lib/contract/live.ts";
import type { FindingCode, NotificationFlag, Severity } from "@/lib/contract/target.ts";

export type FindingFacts = Readonly<Record<string, string>>;

/** A finding as a language tells it: what is wrong, and what can go wrong. */
export type FindingMessages = Record<
  FindingCode,
  { title: (facts: FindingFacts) => string; risk: (facts: FindingFacts) => string }
>;

const severities: Readonly<Record<Severity, string>> = {
  danger: "Danger",
  warning: "Warning",
  unknown: "Not known",
  note: "Note",
};

/** What is not seen without a flag of notify-keyspace-events. */
const unseen: Readonly<Record<NotificationFlag, string>> = {
  K: "anything at all of single keys",
  g: "DEL, EXPIRE and RENAME: releases, renewals, locks freed by hand",
  h: "hashes: Redisson, and locks of this API",
  s: "sets: readers of distributed-lock",
  z: "sorted sets: semaphores, fair queues",
  x: "expired keys: when a lease ends",
  e: "evicted keys: locks that Redis threw out",
  $: "strings: redlock, redis-py, SETNX locks",
};

const unreadableReasons: Readonly<Record<UnreadableReason, string>> = {
  too_large: "too large",
  forbidden: "not permitted",
  timeout: "timed out",
  error: "error",
};

/** Every Redis that is looked at, and what makes it unsafe for locks. */
export const targets = {
  namespace: "targets" as const,
  title: "Targets",
  intro:
    "Each Redis that is looked at, and what could make it lose locks or grant them twice. Nothing is changed from here: the commands are for you to judge and to run.",
  loading: "Looking…",
  again: "Try again",
  locks: (count: number, shown: string) => (count === 1 ? "1 lock" : `${shown} locks`),
  triedSince: (clock: string) => `Never reached; tried again and again since ${clock}.`,
  /** What stands between the parts of a list. */
  between: ", ",
  topologies: { standalone: "standalone", sentinel: "sentinel", cluster: "cluster", quorum: "quorum" },
  findings: "Findings",
  nothingFound: "Nothing was found that makes it unsafe for locks.",
  severities,
  copyCommand: (title: string) => `Copy the command: ${title}`,
  atMasters: (names: string) => `At ${names}`,
  unnotifiedTitle: "Not told by Redis, and found by scanning only:",
  unseen,
  currentFlags: (setting: string) => `notify-keyspace-events is “${setting}” now; no flag of it is dropped.`,
  currentlyEmpty: "notify-keyspace-events is empty now.",
  orAtStart: "Or start Lockkeeper with LOCKKEEPER_NOTIFICATIONS=set, and it sets them itself.",
  unreadableKeys: "Keys that cannot be read",
  unreadableReasons,
  /** null: the server says it in this very language. */
  translations: null as FindingMessages | null,
  masters: {
    label: "Masters",
    master: "Master",
    version: "Version",
    latency: "Answers in",
    memory: "Memory",
    persisted: "On disk",
    replicas: "Replicas",
    lastScan: "Last pass",
    notifications: "Notifications",
    unknown: "not told",
    underOneMs: "under 1 ms",
    clockAsOurs: "clock as ours",
    clockAhead: (ms: string) => `clock ${ms} ahead`,
    clockBehind: (ms: string) => `clock ${ms} behind`,
    upFor: (time: string) => `up ${time}`,
    ofLimit: (used: string, limit: string) => `${used} of ${limit}`,
    noLimit: (used: string) => `${used}, no limit`,
    evicted: (count: string) => `${count} evicted`,
    persistence: {
      none: "nothing",
      snapshots: "snapshots",
      aof: "append-only file",
      both: "file, snapshots",
    },
    atLeast: (count: number) => `writes need ${count}`,
    scannedAgo: (ago: string) => ago,
    scanTook: (time: string) => `took ${time}`,
    scanRunning: (percent: number) => `under way, ${percent} %`,
    neverScanned: "not yet",
    on: "on",
    off: "off",
    missingFlags: (flags: string) => `lacks ${flags}`,
    polled: (ends: string, newLocks: string) => `ends within ${ends}, new locks within ${newLocks}`,
    downSince: (clock: string) => `since ${clock}`,
  },
};
