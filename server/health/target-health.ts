import type { Finding, TargetHealth, TargetSummary } from "../../lib/contract/target.ts";
import { sentinelFacts } from "../redis/sentinel/sentinel-facts.ts";
import type { Target } from "../targets/target.ts";
import type { TargetKeeper } from "../targets/target-connector.ts";
import { findingsOf, type TargetFacts } from "./findings.ts";
import { reportOf } from "./master-report.ts";
import { factsOf } from "./redis-facts.ts";

/** A target in one line of a list. */
export function summaryOf(keeper: TargetKeeper): TargetSummary {
  const { settings, target, address, topology, reason, triedSince } = keeper;
  const { name, label, environment, policy } = settings;
  const named = { name, label, ...(environment === undefined ? {} : { environment }) };
  const fixed = { ...named, topology, address, readOnly: policy.readOnly };
  if (target === undefined) {
    const unknown = { server: null, locks: null, lagMs: null, masters: [], triedSince };
    return { ...fixed, ...unknown, state: "down", notifications: "off", detail: reason };
  }
  const { state, notifications, lagMs, masters, locks, detail } = target.watcher.health();
  const known = { server: target.server, state, notifications, lagMs, masters, locks };
  return { ...fixed, ...known, ...(detail === undefined ? {} : { detail }) };
}

/** Asks Redis now for what makes it unsafe for locks. Nothing is changed there. */
export async function healthOfTarget(keeper: TargetKeeper): Promise<TargetHealth> {
  const { target } = keeper;
  const facts = target === undefined ? undefined : await targetFacts(keeper, target);
  const findings = facts === undefined ? [unreached(keeper)] : findingsOf(facts);
  const reports = facts?.told.map(reportOf) ?? [];
  return { target: summaryOf(keeper), reports, findings, checkedAt: Date.now() };
}

async function targetFacts({ settings }: TargetKeeper, target: Target): Promise<TargetFacts> {
  const health = target.watcher.health();
  const up = new Set(health.masters.filter(({ state }) => state !== "down").map(({ name }) => name));
  const asked = target.masters.list.filter(({ name }) => up.has(name));
  const effect = settings.policy.readOnly ? "reads" : "writes";
  const [told, sentinel] = await Promise.all([
    Promise.all(asked.map((master) => factsOf(master, effect))),
    sentinelOf(settings.where),
  ]);
  return {
    topology: target.topology,
    notifications: { state: health.notifications, detail: health.detail },
    masters: health.masters,
    told,
    sentinel,
    user: target.masters.list[0]?.redis.options.username ?? "default",
  };
}

async function sentinelOf(where: TargetKeeper["settings"]["where"]): Promise<TargetFacts["sentinel"]> {
  if (typeof where === "string" || !("sentinel" in where)) return undefined;
  try {
    return await sentinelFacts(where);
  } catch (error) {
    const [reason] = error instanceof AggregateError ? error.errors : [error];
    return { refused: reason instanceof Error ? reason.message : "it does not answer" };
  }
}

function unreached({ reason }: TargetKeeper): Finding {
  return {
    code: "unreached",
    severity: "danger",
    title: "It has not been reached yet, and is tried again",
    risk: reason,
    facts: { detail: reason },
    masters: [],
  };
}
