import type { Finding } from "../../lib/contract/target.ts";
import type { MasterFacts } from "./redis-facts.ts";

type Info = ReadonlyMap<string, string>;
type Draft = Omit<Finding, "masters">;

const RESTARTED_S = 300;
const NEARLY_FULL = 0.9;

/** What is wrong with one master, as far as it may be asked. */
export function findingsOfMaster({ name, info, config, missing }: MasterFacts, user: string): Finding[] {
  const drafts: Draft[] = [...ofRights(missing, user)];
  const settings = "facts" in config ? config.facts : undefined;
  if ("facts" in info) {
    const of = [ofEviction, ofMemory, ofPersistence, ofRestart, ofReplicas, ofVersion];
    for (const draw of of) drafts.push(...draw(info.facts, settings));
  } else drafts.push(unread("INFO", info.refused, "memory, persistence, replicas and version"));
  if ("refused" in config) {
    drafts.push(unread("CONFIG GET", config.refused, "whether data is saved and min-replicas-to-write"));
  }
  return drafts.map((draft) => ({ ...draft, masters: [name] }));
}

const numberOf = (info: Info, name: string) => Number(info.get(name) ?? 0);

function unread(command: string, why: string, what: string): Draft {
  return {
    code: "unread",
    facts: { command, detail: why.slice(0, 200) },
    severity: "unknown",
    title: `${command} may not be read`,
    risk: `Not known here: ${what} (${why.slice(0, 200)}).`,
  };
}

function ofRights(missing: readonly string[], user: string): Draft[] {
  if (missing.length === 0) return [];
  const granted = missing.map((command) => `+${command.toLowerCase().replace(" ", "|")}`).join(" ");
  return [
    {
      code: "rights",
      facts: { commands: missing.join(", ") },
      severity: "danger",
      title: `The user may not run ${missing.join(", ")}`,
      risk: "Locks cannot be seen, taken or freed as far as these are needed for it.",
      command: `ACL SETUSER ${user} ${granted}`,
    },
  ];
}

function ofEviction(info: Info): Draft[] {
  const policy = info.get("maxmemory_policy") ?? "noeviction";
  const evicted = numberOf(info, "evicted_keys");
  const isLimited = numberOf(info, "maxmemory") > 0;
  const command = "CONFIG SET maxmemory-policy noeviction";
  const drafts: Draft[] = [];
  if (policy !== "noeviction") {
    drafts.push({
      code: "eviction",
      facts: { policy, limited: isLimited ? 1 : 0 },
      severity: isLimited ? "danger" : "note",
      title: `maxmemory-policy is ${policy}`,
      risk: isLimited
        ? "When memory gets short Redis deletes keys, and a lock that is held is one: somebody else takes it. volatile-ttl takes locks first."
        : "No maxmemory is set, so nothing is evicted now; once one is set, locks that are held can be deleted.",
      command,
    });
  }
  if (evicted > 0) {
    drafts.push({
      code: "evicted",
      facts: { count: evicted },
      severity: policy === "noeviction" ? "note" : "danger",
      title: `${evicted} keys were evicted since Redis started`,
      risk: "Locks may have been among them; each that was seen is an event of type evicted.",
      ...(policy === "noeviction" ? {} : { command }),
    });
  }
  return drafts;
}

function ofMemory(info: Info): Draft[] {
  const limit = numberOf(info, "maxmemory");
  const used = numberOf(info, "used_memory");
  if (limit === 0 || used < limit * NEARLY_FULL) return [];
  return [
    {
      code: "memory",
      facts: { percent: Math.round((100 * used) / limit) },
      severity: "warning",
      title: `${Math.round((100 * used) / limit)} % of maxmemory is used`,
      risk: "When it is full, locks are refused (OOM) or, with a policy that evicts, deleted.",
      command: `CONFIG SET maxmemory ${2 * limit}`,
    },
  ];
}

function ofPersistence(info: Info, settings: Info | undefined): Draft[] {
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
      title: isNever ? "Nothing is kept on disk" : "Only snapshots are kept on disk",
      risk: isNever
        ? "After a restart every lock is free, while those who held it may still be working."
        : "After a crash the locks of the last minutes are free, while those who held them may still be working.",
      command,
    },
  ];
}

function ofRestart(info: Info): Draft[] {
  const seconds = numberOf(info, "uptime_in_seconds");
  if (!info.has("uptime_in_seconds") || seconds >= RESTARTED_S) return [];
  return [
    {
      code: "restarted",
      facts: {},
      severity: "note",
      title: "Redis was started in the last five minutes",
      risk: "Locks that were taken shortly before may be gone while their holders work on. A Redis that is restarted within a lease forgets what it granted.",
    },
  ];
}

function ofReplicas(info: Info, settings: Info | undefined): Draft[] {
  const replicas = numberOf(info, "connected_slaves");
  if (replicas === 0) {
    return [
      {
        code: "no_replica",
        facts: {},
        severity: "note",
        title: "No replica follows",
        risk: "While this server is away no lock can be taken or given back, and nothing takes its place.",
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
      risk: "A master that is cut off from its replicas goes on granting locks; after the failover the new one grants them, too.",
      command: "CONFIG SET min-replicas-to-write 1",
    },
  ];
}

function ofVersion(info: Info): Draft[] {
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
      risk: "It has no sharded channels and no users that may only read some keys.",
    },
  ];
}
