import type { MasterHealth } from "../../lib/contract/live.ts";
import { REFUSAL_TEXTS, type WriteRefusal } from "../../lib/contract/refusal.ts";
import type { Finding } from "../../lib/contract/target.ts";
import type { MasterFacts } from "./redis-facts.ts";

type Fields = ReadonlyMap<string, string>;

/** Returns the findings for masters that refuse all writes, according to the watcher's probes, INFO or CONFIG GET. */
export function checkWriteRefusals(
  masters: readonly MasterHealth[],
  masterFacts: readonly MasterFacts[],
): Finding[] {
  return masters.flatMap(({ name, state, writesRefused }) => {
    const facts = masterFacts.find((each) => each.name === name);
    const reason = writesRefused ?? (facts === undefined ? undefined : inferWriteRefusal(facts));
    return reason === undefined || state === "down" ? [] : [createRefusalFinding(reason, name)];
  });
}

function createRefusalFinding(reason: WriteRefusal, master: string): Finding {
  const { cause, remedy } = REFUSAL_TEXTS[reason];
  return {
    code: "writes_refused",
    facts: { reason },
    severity: "danger",
    title: cause,
    risk: `Locks can be neither acquired nor renewed, and most can end only by expiry. ${remedy}.`,
    masters: [master],
  };
}

/**
 * Infers from INFO and CONFIG GET why a master refuses all writes, without sending a write. Returns `undefined` if
 * nothing indicates a refusal.
 */
export function inferWriteRefusal({ info, config }: MasterFacts): WriteRefusal | undefined {
  if (!("facts" in info)) return undefined;
  const fields = info.facts;
  const settings: Fields = "facts" in config ? config.facts : new Map();
  if (fields.get("role") === "slave") return fields.get("slave_read_only") === "0" ? undefined : "read_only";
  if (hasPersistenceFailed(fields, settings)) return "persistence_failed";
  const inSync = fields.get("min_slaves_good_slaves");
  const required = Number(settings.get("min-replicas-to-write") ?? 0);
  if (inSync !== undefined && Number(inSync) < required) return "no_replicas";
  return isMemoryFull(fields) ? "out_of_memory" : undefined;
}

function hasPersistenceFailed(info: Fields, settings: Fields): boolean {
  if (info.get("aof_enabled") === "1" && info.get("aof_last_write_status") === "err") return true;
  const stopsWrites =
    settings.get("stop-writes-on-bgsave-error") === "yes" && (settings.get("save") ?? "") !== "";
  return stopsWrites && info.get("rdb_last_bgsave_status") === "err";
}

function isMemoryFull(info: Fields): boolean {
  const limit = Number(info.get("maxmemory") ?? 0);
  const evicts = (info.get("maxmemory_policy") ?? "noeviction") !== "noeviction";
  // The buffers of replicas and the AOF do not count towards the memory limit.
  const counted = Number(info.get("used_memory") ?? 0) - Number(info.get("mem_not_counted_for_evict") ?? 0);
  return limit > 0 && !evicts && counted > limit;
}
