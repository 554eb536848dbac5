import type { Finding } from "../../lib/contract/target.ts";
import type { MasterFacts } from "./redis-facts.ts";

type Info = ReadonlyMap<string, string>;
type FindingDraft = Omit<Finding, "masters">;

const RESTARTED_S = 300;
const NEARLY_FULL = 0.9;

/** Returns the findings for one master, based on the facts that the Redis user is allowed to read. */
export function collectMasterFindings({ name, info, config, missing }: MasterFacts, user: string): Finding[] {
  const drafts: FindingDraft[] = [...checkRights(missing, user)];
  const settings = "facts" in config ? config.facts : undefined;
  if ("facts" in info) {
    const of = [checkEviction, checkMemory, checkPersistence, checkRestart, checkReplicas, checkVersion];
    for (const draw of of) drafts.push(...draw(info.facts, settings));
  } else drafts.push(createUnreadFinding("INFO", info.refused, "memory, persistence, replicas and version"));
  if ("refused" in config) {
    drafts.push(
      createUnreadFinding("CONFIG GET", config.refused, "whether data is saved and min-replicas-to-write"),
    );
  }
  return drafts.map((draft) => ({ ...draft, masters: [name] }));
}

const getNumber = (info: Info, name: string) => Number(info.get(name) ?? 0);

function createUnreadFinding(command: string, why: string, what: string): FindingDraft {
  return {
    code: "unread",
    facts: { command, detail: why.slice(0, 200) },
    severity: "unknown",
    title: `${command} is not permitted`,
    risk: `Cannot determine ${what} (${why.slice(0, 200)}).`,
  };
}

function checkRights(missing: readonly string[], user: string): FindingDraft[] {
  if (missing.length === 0) return [];
  const granted = missing.map((command) => `+${command.toLowerCase().replace(" ", "|")}`).join(" ");
  return [
    {
      code: "rights",
      facts: { commands: missing.join(", ") },
      severity: "danger",
      title: `The Redis user may not run ${missing.join(", ")}`,
      risk: "Without these commands, some locks cannot be shown, acquired or released.",
      command: `ACL SETUSER ${user} ${granted}`,
    },
  ];
}

function checkEviction(info: Info): FindingDraft[] {
  const policy = info.get("maxmemory_policy") ?? "noeviction";
  const evicted = getNumber(info, "evicted_keys");
  const isLimited = getNumber(info, "maxmemory") > 0;
  const command = "CONFIG SET maxmemory-policy noeviction";
  const drafts: FindingDraft[] = [];
  if (policy !== "noeviction") {
    drafts.push({
      code: "eviction",
      facts: { policy, limited: isLimited ? "1" : "0" },
      severity: isLimited ? "danger" : "note",
      title: `maxmemory-policy is ${policy}`,
      risk: isLimited
        ? "When memory is full, Redis deletes keys, including locks that are held, so another client can acquire them. volatile-ttl deletes locks first."
        : "maxmemory is not set, so nothing is evicted now. Once it is set, locks that are held can be deleted.",
      command,
    });
  }
  if (evicted > 0) {
    drafts.push({
      code: "evicted",
      facts: { count: String(evicted) },
      severity: policy === "noeviction" ? "note" : "danger",
      title: `${evicted} keys have been evicted since Redis started`,
      risk: "Locks may have been among them. Each observed eviction of a lock is an `evicted` event.",
      ...(policy === "noeviction" ? {} : { command }),
    });
  }
  return drafts;
}

function checkMemory(info: Info): FindingDraft[] {
  const limit = getNumber(info, "maxmemory");
  const used = getNumber(info, "used_memory");
  if (limit === 0 || used < limit * NEARLY_FULL) return [];
  return [
    {
      code: "memory",
      facts: { percent: String(Math.round((100 * used) / limit)) },
      severity: "warning",
      title: `${Math.round((100 * used) / limit)} % of maxmemory is used`,
      risk: "When memory is full, Redis refuses locks (OOM), or deletes them if the policy evicts keys.",
      command: `CONFIG SET maxmemory ${2 * limit}`,
    },
  ];
}

function checkPersistence(info: Info, settings: Info | undefined): FindingDraft[] {
  if (info.get("aof_enabled") === "1") return [];
  const command = "CONFIG SET appendonly yes";
  const saves = settings?.get("save");
  if (saves === undefined) return [];
  const isNever = saves === "";
  return [
    {
      code: "persistence",
      facts: { kept: isNever ? "nothing" : "snapshots" },
      severity: isNever ? "warning" : "note",
      title: isNever ? "Data is not saved to disk" : "Data is saved to disk only as snapshots",
      risk: isNever
        ? "After a restart every lock is free, although its former holder may still be working."
        : "After a crash the locks of the last minutes are free, although their former holders may still be working.",
      command,
    },
  ];
}

function checkRestart(info: Info): FindingDraft[] {
  const seconds = getNumber(info, "uptime_in_seconds");
  if (!info.has("uptime_in_seconds") || seconds >= RESTARTED_S) return [];
  return [
    {
      code: "restarted",
      facts: {},
      severity: "note",
      title: "Redis started less than five minutes ago",
      risk: "A restart can lose locks that were granted before it, while their holders are still working.",
    },
  ];
}

function checkReplicas(info: Info, settings: Info | undefined): FindingDraft[] {
  const replicas = getNumber(info, "connected_slaves");
  if (replicas === 0) {
    return [
      {
        code: "no_replica",
        facts: {},
        severity: "note",
        title: "No replica is connected",
        risk: "If this server fails, no lock can be acquired or released until it returns. There is no replica to promote.",
      },
    ];
  }
  const atLeast = settings?.get("min-replicas-to-write");
  if (atLeast === undefined || Number(atLeast) > 0) return [];
  return [
    {
      code: "min_replicas",
      facts: {},
      severity: "warning",
      title: "min-replicas-to-write is 0",
      risk: "A master that is cut off from its replicas continues to grant locks, and after the failover the new master grants them too.",
      command: "CONFIG SET min-replicas-to-write 1",
    },
  ];
}

function checkVersion(info: Info): FindingDraft[] {
  if (info.has("valkey_version")) return [];
  const version = info.get("redis_version") ?? "";
  const [major = 0] = version.split(".").map(Number);
  if (major === 0 || major >= 7) return [];
  return [
    {
      code: "version",
      facts: { version },
      severity: "note",
      title: `Redis ${version} is old`,
      risk: "It has no sharded Pub/Sub and no key permissions for reading only (ACL %R~).",
    },
  ];
}
