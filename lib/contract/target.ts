import { z } from "zod";
import { MasterHealth } from "./live.ts";
import { UnreadableReason } from "./lock.ts";
import { POLLING, PollingDelays } from "./polling.ts";

/** Maximum length of the `target` parameter, in characters. Target names have at most 64 characters. */
export const TARGET_CHARACTERS_MAX = 100;

/** The query parameter that selects the target of a request. */
export const TargetQuery = z.object({
  target: z.string().max(TARGET_CHARACTERS_MAX).optional().meta({
    description: "Name of the target. Defaults to the first configured target.",
    example: "default",
  }),
});

export const Topology = z.enum(["standalone", "sentinel", "cluster", "quorum"]);
export type Topology = z.infer<typeof Topology>;

export const TargetSummary = z
  .object({
    name: z.string().meta({ description: "Name of the target, for the parameter `target`." }),
    label: z.string().meta({ description: "Display name." }),
    environment: z.string().optional().meta({
      description:
        "Environment from the configuration, such as `production`. `production` requires `confirm` for bulk releases.",
    }),
    topology: Topology.meta({ description: "How the Redis servers of the target are arranged." }),
    address: z.string().meta({ description: "Address, without passwords." }),
    server: z
      .string()
      .nullable()
      .meta({ description: "Name and version of the server. null if the target has never been reached." }),
    readOnly: z.boolean().meta({ description: "true if Lockkeeper never writes to the target." }),
    state: z.enum(["live", "catching_up", "partial", "down"]).meta({
      description:
        "`live`: connected and up to date. `catching_up`: connected, scanning. `partial`: some masters are unreachable. `down`: unreachable.",
    }),
    detail: z
      .string()
      .optional()
      .meta({ description: "Reason why the target is not `live` or refuses writes." }),
    locks: z
      .int()
      .nullable()
      .meta({ description: "Number of held locks. null if the target has never been reached." }),
    notifications: z.enum(["on", "off"]).meta({ description: "Whether keyspace notifications are enabled." }),
    roundTripUs: z.int().nullable().meta({
      description:
        "Last measured round trip to the slowest master, in microseconds. null while the target is down.",
    }),
    polling: PollingDelays.optional().meta(POLLING),
    masters: z.array(MasterHealth),
    triedSince: z.int().optional().meta({
      description:
        "Start of the first connection attempt, Lockkeeper clock, in Unix milliseconds. Present only until the target is first reached.",
    }),
  })
  .meta({ id: "TargetSummary" });
export type TargetSummary = z.infer<typeof TargetSummary>;

export const TargetList = z.object({ items: z.array(TargetSummary) }).meta({
  id: "TargetList",
  description: "Targets in the order of the configuration. The first one is the default.",
});
export type TargetList = z.infer<typeof TargetList>;

export const Severity = z.enum(["danger", "warning", "note", "unknown"]);
export type Severity = z.infer<typeof Severity>;

/** Flags of the Redis setting notify-keyspace-events: `K` for the keyspace channel, then the event classes. */
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
  "ignored_events",
  "memory",
  "min_replicas",
  "no_replica",
  "notifications",
  "oversized_keys",
  "persistence",
  "restarted",
  "rights",
  "sentinel_quorum",
  "sentinel_unknown",
  "unread",
  "unreadable_keys",
  "unreached",
  "version",
  "writes_refused",
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

export const Finding = z
  .object({
    code: z.enum(FINDING_CODES).meta({ description: "Identifies the kind of finding.", example: "eviction" }),
    severity: Severity.meta({
      description:
        "`danger`: locks can be lost or held twice. `warning`: a failure can have this effect. `note`: for information. `unknown`: the check failed; `risk` explains why.",
    }),
    title: z.string().meta({ description: "One line that names the finding." }),
    risk: z.string().meta({ description: "Possible consequences." }),
    facts: z.record(z.string(), z.string()).meta({
      description: "Values used in `title` and `risk`, by name. Numbers are decimal strings.",
      example: { policy: "volatile-ttl" },
    }),
    command: z.string().optional().meta({
      description: "Redis or shell command that fixes the finding.",
    }),
    masters: z
      .array(z.string())
      .meta({ description: "Masters that the finding applies to. Empty if it applies to the whole target." }),
  })
  .meta({ id: "Finding" });
export type Finding = z.infer<typeof Finding>;

export const MasterReport = z
  .object({
    name: z.string().meta({ description: "Current `host:port`." }),
    version: z
      .string()
      .nullable()
      .meta({ description: "Version of Redis or Valkey. null if it cannot be read." }),
    uptimeS: z.int().nullable().meta({ description: "Time since the server started, in seconds." }),
    usedMemoryBytes: z.int().nullable().meta({ description: "Used memory in bytes." }),
    maxMemoryBytes: z.int().nullable().meta({ description: "Memory limit in bytes. 0 means no limit." }),
    memoryPolicy: z.string().nullable().meta({ description: "Value of `maxmemory-policy`." }),
    evictedKeys: z.int().nullable().meta({ description: "Number of keys evicted since the server started." }),
    persistence: z
      .enum(["none", "snapshots", "aof", "both"])
      .nullable()
      .meta({ description: "Persistence mode." }),
    fsync: z.string().nullable().meta({ description: "Value of `appendfsync`." }),
    replicas: z.int().nullable().meta({ description: "Number of connected replicas." }),
    minReplicas: z.int().nullable().meta({ description: "Value of `min-replicas-to-write`." }),
    notifications: z
      .object({
        setting: z.string().meta({ description: "Current value of `notify-keyspace-events`." }),
        missing: z
          .array(z.enum(NOTIFICATION_FLAGS))
          .meta({ description: "Flags that Lockkeeper needs and that are not set." }),
        wanted: z
          .string()
          .meta({ description: "Recommended value: the current one plus the missing flags." }),
      })
      .meta({ id: "NotificationSettings" })
      .nullable()
      .meta({ description: "Keyspace notification settings. null if `CONFIG GET` is not permitted." }),
  })
  .meta({
    id: "MasterReport",
    description: "Settings and state of one master. Fields are null if they cannot be read.",
  });
export type MasterReport = z.infer<typeof MasterReport>;

/** Maximum number of unreadable keys listed in the health of a target. */
export const UNREADABLE_KEYS_LISTED_MAX = 20;

export const UnreadableKey = z
  .object({
    key: z.string(),
    keyBase64: z.string().optional(),
    master: z.string().meta({ description: "Master that has the key." }),
    reason: UnreadableReason,
    why: z.string().meta({ description: "What prevents reading the key, such as the error of Redis." }),
  })
  .meta({ id: "UnreadableKey" });
export type UnreadableKey = z.infer<typeof UnreadableKey>;

export const TargetHealth = z
  .object({
    target: TargetSummary,
    reports: z.array(MasterReport).meta({ description: "One report for each master that responded." }),
    findings: z
      .array(Finding)
      .meta({ description: "Findings, most severe first. Empty if there are no problems." }),
    unreadableKeys: z.array(UnreadableKey).meta({
      description: `Watched keys that cannot be read, at most ${UNREADABLE_KEYS_LISTED_MAX} of each master.`,
    }),
    checkedAt: z.int().meta({ description: "Time of the check, Lockkeeper clock, in Unix milliseconds." }),
  })
  .meta({ id: "TargetHealth" });
export type TargetHealth = z.infer<typeof TargetHealth>;
