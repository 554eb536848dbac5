import type { AppConnection, AppConnectionUrl } from "../../../../lib/contract/accounts/app-connection.ts";
import type { Session } from "../../../../lib/contract/accounts/session.ts";
import type { Formats } from "../../../../lib/contract/detection/format-rule.ts";
import type { FinderReport } from "../../../../lib/contract/detection/lock-finder.ts";
import type { RulePreview } from "../../../../lib/contract/detection/rule-preview.ts";
import type { Health, LiveHello, MasterHealth } from "../../../../lib/contract/live.ts";
import type { TargetHealth, TargetSummary } from "../../../../lib/contract/target.ts";

const NOW = 1_795_216_504_643;

const MASTER: MasterHealth = {
  name: "127.0.0.1:6379",
  state: "live",
  notifications: "on",
  roundTripUs: 412,
  clockOffsetMs: 0,
  scannedAt: NOW - 4000,
  scanMs: 38,
};

export const TARGET: TargetSummary = {
  name: "default",
  label: "default",
  topology: "standalone",
  address: "127.0.0.1:6379",
  server: "Redis 7.0.15",
  readOnly: false,
  state: "live",
  locks: 17,
  notifications: "on",
  roundTripUs: 412,
  masters: [MASTER],
};

export const APP_CONNECTION: AppConnection = {
  host: "127.0.0.1",
  port: 6399,
  user: "app",
  file: "/srv/lockkeeper/.cache/redis/app-redis-url",
};
export const APP_CONNECTION_URL: AppConnectionUrl = { url: "redis://app:5Yw0Qh3nX8…@127.0.0.1:6399" };

export const TARGET_HEALTH: TargetHealth = {
  target: TARGET,
  reports: [
    {
      ...{ name: "127.0.0.1:6379", version: "7.4.1", uptimeS: 86_400 },
      ...{ usedMemoryBytes: 1_048_576, maxMemoryBytes: 104_857_600, memoryPolicy: "volatile-ttl" },
      ...{ evictedKeys: 0, persistence: "aof", fsync: "everysec", replicas: 1, minReplicas: 1 },
      notifications: { setting: "Kg$x", missing: ["h", "s", "z", "e"], wanted: "Kgxhsze$" },
    },
  ],
  findings: [
    {
      code: "eviction",
      severity: "danger",
      title: "Redis may evict locks",
      risk: "With maxmemory-policy volatile-ttl Redis can evict locks when memory is short, and another client can acquire them.",
      facts: { policy: "volatile-ttl", limited: "1" },
      command: "CONFIG SET maxmemory-policy noeviction",
      masters: ["127.0.0.1:6379"],
    },
  ],
  unreadableKeys: [],
  checkedAt: NOW,
};

export const HEALTH: Health = {
  now: NOW,
  state: "live",
  notifications: "on",
  roundTripUs: 412,
  scannedAt: NOW - 4000,
  scanMs: 38,
  missed: { found: 0, gone: 0, changed: 0, lastAt: null },
  locks: 17,
  unlisted: 27,
  waiting: 2,
  needsAttention: 1,
  deadlocks: 0,
  masters: [MASTER],
};

export const FORMATS: Formats = {
  formats: [
    {
      name: "redisson",
      label: "Redisson",
      layout: "A hash of owners and counts",
      spoken: true,
      owner: "recurs",
      renews: { who: "all", afterShare: 0.33 },
      waiters: "Every subscribed client is notified. The first one to retry acquires the lock.",
      oldOwner: "Its next renewal fails, and its unlock throws.",
    },
  ],
  rules: [{ pattern: "order-*", format: "redlock-net", from: "api" }],
};

export const RULES_PREVIEW: RulePreview = {
  ...{ held: 17, affected: 3, readCount: 3, scanned: 412, isWhole: true },
  changes: [
    {
      from: { format: "token", confidence: "likely" },
      to: { format: "redlock-net", confidence: "certain" },
      count: 3,
      sample: [{ key: "order-42" }, { key: "order-43" }, { key: "order-44" }],
    },
  ],
};

export const FINDER_REPORT: FinderReport = {
  state: "done",
  startedAt: NOW - 2100,
  ms: 2100,
  scanned: 48_210,
  keys: 48_210,
  skipped: 0,
  groups: [
    {
      pattern: "order-*",
      format: "redisson",
      confidence: "certain",
      count: 312,
      example: "order-8812",
      isWatched: false,
      isListed: true,
    },
  ],
  watch: "lock:*,order-*",
};

export const SESSION: Session = {
  name: "mei",
  roles: { "*": "admin" },
  via: "password",
  expiresAt: NOW + 43_200_000,
};

export const LIVE_HELLO: LiveHello = {
  stream: "k3Jd9xQ2",
  now: NOW,
  operator: { name: "mei", may: ["read", "lock", "force", "admin"], mayEverywhere: ["read"] },
  target: {
    name: "default",
    label: "default",
    address: "127.0.0.1:6379",
    server: "Redis 7.0.15",
    readOnly: false,
  },
  watch: ["lock:*"],
  lockable: ["lock:*"],
};
