import { z } from "zod";
import { MasterHealth } from "./live.ts";

/** A name of the configuration has fewer; one that is longer is of no target. */
export const TARGET_CHARACTERS_MAX = 100;

/** Which target a request is about. */
export const TargetQuery = z.object({
  target: z.string().max(TARGET_CHARACTERS_MAX).optional().meta({
    description: "The name of a target; without it the first one that is configured.",
    example: "default",
  }),
});

export const Topology = z.enum(["standalone", "sentinel", "cluster", "quorum"]);
export type Topology = z.infer<typeof Topology>;

export const TargetSummary = z
  .object({
    name: z.string(),
    label: z.string().meta({ description: "As people call it." }),
    environment: z.string().optional().meta({ description: "A free word; `production` wears the badge." }),
    topology: Topology,
    address: z.string().meta({ description: "Where it is, without passwords." }),
    server: z.string().nullable().meta({ description: "What runs there; null while it was never reached." }),
    readOnly: z.boolean().meta({ description: "Nothing is ever written to it." }),
    state: z.enum(["live", "catching_up", "partial", "down"]),
    detail: z.string().optional().meta({ description: "What is wrong." }),
    locks: z.int().nullable().meta({ description: "How many are held; null while it was never reached." }),
    notifications: z.enum(["on", "off"]),
    roundTripUs: z.int().nullable().meta({
      description: "Last measured round trip to the slowest master, in microseconds; null while it is down.",
    }),
    masters: z.array(MasterHealth),
    triedSince: z.int().optional().meta({
      description:
        "Present while it was never reached: since when it is tried, by Lockkeeper's clock, Unix milliseconds.",
    }),
  })
  .meta({ id: "TargetSummary" });
export type TargetSummary = z.infer<typeof TargetSummary>;

export const TargetList = z.object({ items: z.array(TargetSummary) }).meta({
  id: "TargetList",
  description: "In the order of the configuration; the first is the default.",
});
export type TargetList = z.infer<typeof TargetList>;

export const Severity = z.enum(["danger", "warning", "note", "unknown"]);
export type Severity = z.infer<typeof Severity>;

/** Of notify-keyspace-events: the channel of keys, then classes of events. */
export const NOTIFICATION_FLAGS = ["K", "g", "h", "s", "z", "x", "e", "$"] as const;
export type NotificationFlag = (typeof NOTIFICATION_FLAGS)[number];

export const FINDING_CODES = [
  "clock",
  "clocks_apart",
  "down",
  "even_quorum",
  "evicted",
  "eviction",
  "few_masters",
  "few_sentinels",
  "memory",
  "min_replicas",
  "no_replica",
  "notifications",
  "persistence",
  "restarted",
  "rights",
  "sentinel_quorum",
  "sentinel_unknown",
  "unread",
  "unreached",
  "version",
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

export const Finding = z
  .object({
    code: z.enum(FINDING_CODES).meta({ example: "eviction" }),
    severity: Severity.meta({
      description:
        "danger: locks can be lost or held twice now. unknown: it could not be found out, and why is said.",
    }),
    title: z.string(),
    risk: z.string().meta({ description: "What can go wrong." }),
    facts: z.record(z.string(), z.string()).meta({
      description: "The values that `title` and `risk` contain, by name. Numbers are decimal strings.",
      example: { policy: "volatile-ttl" },
    }),
    command: z.string().optional().meta({
      description: "What to do, to be copied: a command of Redis, or of a shell.",
    }),
    masters: z.array(z.string()).meta({ description: "At which it was found; empty: of the whole target." }),
  })
  .meta({ id: "Finding" });
export type Finding = z.infer<typeof Finding>;

export const MasterReport = z
  .object({
    name: z.string().meta({ description: "`host:port` as it is now." }),
    version: z
      .string()
      .nullable()
      .meta({ description: "Of Redis or Valkey; null where it may not be asked." }),
    uptimeS: z.int().nullable(),
    usedMemoryBytes: z.int().nullable(),
    maxMemoryBytes: z.int().nullable().meta({ description: "0: no limit." }),
    memoryPolicy: z.string().nullable().meta({ description: "maxmemory-policy." }),
    evictedKeys: z.int().nullable().meta({ description: "Since it was started." }),
    persistence: z.enum(["none", "snapshots", "aof", "both"]).nullable(),
    fsync: z.string().nullable().meta({ description: "appendfsync." }),
    replicas: z.int().nullable().meta({ description: "How many follow it." }),
    minReplicas: z.int().nullable().meta({ description: "min-replicas-to-write." }),
    notifications: z
      .object({
        setting: z.string().meta({ description: "notify-keyspace-events as it is." }),
        missing: z.array(z.enum(NOTIFICATION_FLAGS)).meta({ description: "Flags that watching lacks." }),
        wanted: z.string().meta({ description: "The current setting plus the missing flags." }),
      })
      .meta({ id: "NotificationSettings" })
      .nullable()
      .meta({ description: "null: CONFIG GET is not allowed." }),
  })
  .meta({ id: "MasterReport", description: "What a master tells of itself; null: it may not be asked." });
export type MasterReport = z.infer<typeof MasterReport>;

export const TargetHealth = z
  .object({
    target: TargetSummary,
    reports: z.array(MasterReport).meta({ description: "Of the masters that answer." }),
    findings: z.array(Finding).meta({ description: "The worst first; empty when nothing is wrong." }),
    checkedAt: z.int().meta({ description: "By Lockkeeper's clock, Unix milliseconds." }),
  })
  .meta({ id: "TargetHealth" });
export type TargetHealth = z.infer<typeof TargetHealth>;
