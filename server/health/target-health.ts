import {
  type Finding,
  type TargetHealth,
  type TargetSummary,
  UNREADABLE_KEYS_LISTED_MAX,
  type UnreadableKey,
} from "../../lib/contract/target.ts";
import { toKeyFields } from "../../lib/keys/key.ts";
import { readSentinelFacts } from "../redis/sentinel/sentinel-facts.ts";
import { getTopology } from "../targets/probe-target.ts";
import type { LocatedTargetSettings, Target } from "../targets/target.ts";
import type { TargetConnector } from "../targets/target-connector.ts";
import type { Watcher } from "../watch/watcher.ts";
import { collectFindings, type TargetFacts } from "./findings.ts";
import { buildMasterReport } from "./master-report.ts";
import { readMasterFacts } from "./redis-facts.ts";

/** Returns the summary of a target for the list of targets. */
export function toTargetSummary(connector: TargetConnector): TargetSummary {
  const { settings, target, address, topology, reason, triedSince } = connector;
  const { name, label, environment, policy } = settings;
  const named = { name, label, ...(environment === undefined ? {} : { environment }) };
  const fixed = { ...named, topology, address, readOnly: policy.readOnly };
  if (target === undefined) {
    const unknown = { server: null, locks: null, roundTripUs: null, masters: [], triedSince };
    return { ...fixed, ...unknown, state: "down", notifications: "off", detail: reason };
  }
  const { state, notifications, roundTripUs, masters, locks, polling, detail } = target.watcher.health();
  const known = { server: target.server, state, notifications, roundTripUs, masters, locks };
  return { ...fixed, ...known, ...(polling && { polling }), ...(detail === undefined ? {} : { detail }) };
}

/** Checks whether the target is currently safe for locks. Changes no data in Redis. */
export async function checkTargetHealth(connector: TargetConnector): Promise<TargetHealth> {
  const { target } = connector;
  const facts = target === undefined ? undefined : await readTargetFacts(connector.settings, target);
  const findings = facts === undefined ? [createUnreachedFinding(connector)] : collectFindings(facts);
  const reports = facts?.masterFacts.map(buildMasterReport) ?? [];
  const unreadableKeys = target === undefined ? [] : listUnreadableKeys(target.watcher);
  return { target: toTargetSummary(connector), reports, findings, unreadableKeys, checkedAt: Date.now() };
}

function listUnreadableKeys(watcher: Watcher): UnreadableKey[] {
  return watcher.unreadableKeys.flatMap(({ master, keys }) =>
    Array.from(keys)
      .slice(0, UNREADABLE_KEYS_LISTED_MAX)
      .map(([key, { reason, why }]) => ({ ...toKeyFields(key), master, reason, why })),
  );
}

/** Reads the facts on which findings are based. Changes no data in Redis. */
export async function readTargetFacts(
  settings: Pick<LocatedTargetSettings, "policy" | "safety" | "where">,
  target: Pick<Target, "masters" | "watcher">,
): Promise<TargetFacts> {
  const health = target.watcher.health();
  const up = new Set(health.masters.filter(({ state }) => state !== "down").map(({ name }) => name));
  const reachable = target.masters.list.filter(({ name }) => up.has(name));
  const isConfirmed = (settings.safety?.replicas ?? 0) > 0;
  const use = settings.policy.readOnly ? "reads" : isConfirmed ? "confirmed_writes" : "writes";
  const [masterFacts, sentinel] = await Promise.all([
    Promise.all(reachable.map((master) => readMasterFacts(master, use))),
    readTargetSentinelFacts(settings.where),
  ]);
  return {
    topology: getTopology(settings.where),
    notifications: {
      state: health.notifications,
      detail: health.masters.find(({ state, notifications }) => state !== "down" && notifications === "off")
        ?.detail,
    },
    masters: health.masters,
    unreadableKeys: health.unreadableKeys,
    oversizedKeys: health.oversizedKeys,
    ignoredEvents: health.ignoredEvents,
    masterFacts: masterFacts,
    sentinel,
    user: target.masters.list[0]?.redis.options.username ?? "default",
  };
}

async function readTargetSentinelFacts(
  where: TargetConnector["settings"]["where"],
): Promise<TargetFacts["sentinel"]> {
  if (typeof where === "string" || !("sentinel" in where)) return undefined;
  try {
    return await readSentinelFacts(where);
  } catch (error) {
    const [reason] = error instanceof AggregateError ? error.errors : [error];
    return { refused: reason instanceof Error ? reason.message : "no response" };
  }
}

function createUnreachedFinding({ reason }: TargetConnector): Finding {
  return {
    code: "unreached",
    severity: "danger",
    title: "The target has not been reached yet. Retrying.",
    risk: reason,
    facts: { detail: reason },
    masters: [],
  };
}
