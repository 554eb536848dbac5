import { type MasterReport, NOTIFICATION_FLAGS } from "../../lib/contract/target.ts";
import { mergeFlags } from "../watch/connection/keyspace-subscriber.ts";
import type { MasterFacts } from "./redis-facts.ts";

/** Summarizes one master's replies to INFO and CONFIG GET. A fact that could not be read is `null`. */
export function buildMasterReport({ name, info, config }: MasterFacts): MasterReport {
  const facts = "facts" in info ? info.facts : undefined;
  const settings = "facts" in config ? config.facts : undefined;
  const number = (text: string | undefined) => (text === undefined ? null : Number(text));
  return {
    name,
    version: facts?.get("valkey_version") ?? facts?.get("redis_version") ?? null,
    uptimeS: number(facts?.get("uptime_in_seconds")),
    usedMemoryBytes: number(facts?.get("used_memory")),
    maxMemoryBytes: number(facts?.get("maxmemory")),
    memoryPolicy: facts?.get("maxmemory_policy") ?? settings?.get("maxmemory-policy") ?? null,
    evictedKeys: number(facts?.get("evicted_keys")),
    persistence: toPersistence(facts?.get("aof_enabled"), settings?.get("save")),
    fsync: settings?.get("appendfsync") ?? null,
    replicas: number(facts?.get("connected_slaves")),
    minReplicas: number(settings?.get("min-replicas-to-write")),
    notifications: toNotificationReport(settings?.get("notify-keyspace-events")),
  };
}

function toPersistence(aof: string | undefined, saves: string | undefined): MasterReport["persistence"] {
  if (aof === undefined || saves === undefined) return aof === "1" ? "aof" : null;
  if (aof === "1") return saves === "" ? "aof" : "both";
  return saves === "" ? "none" : "snapshots";
}

export function toNotificationReport(setting: string | undefined): MasterReport["notifications"] {
  if (setting === undefined) return null;
  const wanted = mergeFlags(setting);
  const missing = NOTIFICATION_FLAGS.filter((flag) => wanted.includes(flag) && !setting.includes(flag));
  return { setting, missing, wanted };
}
