import type { MasterHealth, UnreadableKeyCounts } from "../../lib/contract/live.ts";
import type { Finding, Severity, Topology } from "../../lib/contract/target.ts";
import { checkIgnored } from "./ignored-findings.ts";
import { collectMasterFindings } from "./master-findings.ts";
import { toNotificationReport } from "./master-report.ts";
import type { MasterFacts } from "./redis-facts.ts";
import { checkUnreadableKeys } from "./unreadable-findings.ts";
import { checkWriteRefusals } from "./write-refusals.ts";

/** The facts about a target from which its findings are computed. */
export interface TargetFacts {
  readonly topology: Topology;
  readonly notifications: { readonly state: "on" | "off"; readonly detail: string | undefined };
  readonly masters: readonly MasterHealth[];
  /** Numbers of watched keys that cannot be read; `undefined` if every watched key can be read. */
  readonly unreadableKeys: UnreadableKeyCounts | undefined;
  readonly masterFacts: readonly MasterFacts[];
  /**
   * Fields of the reply to SENTINEL MASTER, or why the fields could not be read; `undefined` if the target has no
   * Sentinel.
   */
  readonly sentinel: ReadonlyMap<string, string> | { readonly refused: string } | undefined;
  readonly oversizedKeys?: number | undefined;
  readonly ignoredEvents?: number | undefined;
  /** The Redis user that Lockkeeper connects as. */
  readonly user: string;
}

const SEVERITY_ORDER: readonly Severity[] = ["danger", "warning", "unknown", "note"];
/**
 * Maximum offset in ms between two clocks. With a larger offset, deadlines written with one clock are wrong on the
 * other.
 */
const CLOCK_OFFSET_MS_MAX = 1000;

/**
 * Returns the conditions that make or may make a target unsafe for locks, and notes for the operator, most severe
 * first. Identical findings from several masters are merged.
 */
export function collectFindings(facts: TargetFacts): Finding[] {
  const ofMasters = facts.masterFacts.flatMap((master) => collectMasterFindings(master, facts.user));
  const all = [...checkTarget(facts), ...mergeFindings(ofMasters)];
  return all.sort((a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity));
}

function checkTarget(facts: TargetFacts): Finding[] {
  return [
    ...checkOutages(facts),
    ...mergeFindings(checkWriteRefusals(facts.masters, facts.masterFacts)),
    ...checkNotifications(facts),
    ...checkClocks(facts),
    ...checkMasterCount(facts),
    ...checkSentinel(facts),
    ...checkUnreadableKeys(facts.unreadableKeys),
    ...checkIgnored(facts),
  ];
}

function checkOutages({ topology, masters }: TargetFacts): Finding[] {
  const down = masters.filter(({ state }) => state === "down");
  if (topology === "quorum" && 2 * down.length < masters.length) {
    const left = masters.length - down.length - (Math.floor(masters.length / 2) + 1);
    const more = left === 0 ? "no further master can" : `${left} more can`;
    return down.map(({ name, detail }) => ({
      code: "down",
      facts: { name, quorum: "1", left: String(left), detail: detail ?? "" },
      severity: "warning",
      title: `${name} is not responding`,
      risk: `The other masters still form a majority, and ${more} fail. If this master returns without its data while a lease is running, two clients can hold the same lock. ${detail ?? ""}`.trim(),
      masters: [name],
    }));
  }
  return down.map(({ name, detail }) => ({
    code: "down",
    facts: { name, quorum: "0", left: "0", detail: detail ?? "" },
    severity: "danger",
    title: `${name} is not responding`,
    risk: `Its locks can be neither acquired nor released, and expire with their leases. ${detail ?? ""}`.trim(),
    masters: [name],
  }));
}

function checkNotifications({
  notifications: { state, detail },
  masters,
  masterFacts,
}: TargetFacts): Finding[] {
  if (state === "on") return [];
  const off = masters.filter(({ state: is, notifications }) => is !== "down" && notifications === "off");
  const findings = off.map(({ name }): Finding => {
    const config = masterFacts.find((each) => each.name === name)?.config;
    const settings = config !== undefined && "facts" in config ? config.facts : undefined;
    const report = toNotificationReport(settings?.get("notify-keyspace-events"));
    // A missing flag explains the problem completely. Any other cause is in the `detail` that the watcher reports.
    const isExplained = (report?.missing.length ?? 0) > 0;
    return {
      code: "notifications",
      facts: {
        setting: report?.setting ?? "",
        missing: report?.missing.join("") ?? "",
        detail: detail ?? "",
      },
      severity: "warning",
      title: "Redis does not send keyspace notifications",
      risk: `Lockkeeper scans the keys instead. Changes between two scans are not seen, and scanning costs Redis time. ${isExplained ? "" : (detail ?? "")}`.trim(),
      command: `CONFIG SET notify-keyspace-events ${report?.wanted ?? toNotificationReport("")?.wanted}`,
      masters: [name],
    };
  });
  return mergeFindings(findings);
}

function checkClocks({ masters }: TargetFacts): Finding[] {
  const up = masters.filter(({ state }) => state !== "down");
  const off = up.filter(({ clockOffsetMs }) => Math.abs(clockOffsetMs) > CLOCK_OFFSET_MS_MAX);
  const offsets = up.map(({ clockOffsetMs }) => clockOffsetMs);
  const apartMs = up.length < 2 ? 0 : Math.max(...offsets) - Math.min(...offsets);
  const command = "timedatectl timesync-status";
  return [
    ...off.map(({ name, clockOffsetMs }): Finding => {
      const by = `${Math.abs(clockOffsetMs)} ms ${clockOffsetMs > 0 ? "ahead of" : "behind"}`;
      return {
        code: "clock",
        facts: { name, ms: String(Math.abs(clockOffsetMs)), side: clockOffsetMs > 0 ? "ahead" : "behind" },
        severity: "warning",
        title: `The clock of ${name} is ${by} Lockkeeper's`,
        risk: "Locks that store a deadline from the client's clock expire too early or too late, and timestamps in logs do not match.",
        command,
        masters: [name],
      };
    }),
    ...(apartMs <= CLOCK_OFFSET_MS_MAX
      ? []
      : [
          {
            code: "clocks_apart" as const,
            facts: { ms: String(apartMs) },
            severity: "warning" as const,
            title: `The clocks of the masters are ${apartMs} ms apart`,
            risk: "After a failover, fencing tokens can decrease until the slower clock has caught up, so a resource can reject the new holder.",
            command,
            masters: up.map(({ name }) => name),
          },
        ]),
  ];
}

function checkMasterCount({ topology, masters }: TargetFacts): Finding[] {
  const { length } = masters;
  if (topology === "cluster" && length < 3) {
    return [
      {
        code: "few_masters",
        facts: { count: String(length) },
        severity: "warning",
        title: `The cluster has ${length} ${length === 1 ? "master" : "masters"}`,
        risk: "With fewer than three masters, one failure leaves no majority, so no replica is promoted.",
        masters: masters.map(({ name }) => name),
      },
    ];
  }
  if (topology !== "quorum" || length % 2 === 1) return [];
  return [
    {
      code: "even_quorum",
      facts: { count: String(length) },
      severity: "warning",
      title: `The quorum has ${length} masters`,
      risk: "An even number tolerates no more failures than one master less, and votes can be split.",
      masters: masters.map(({ name }) => name),
    },
  ];
}

function checkSentinel({ sentinel }: TargetFacts): Finding[] {
  if (sentinel === undefined) return [];
  if ("refused" in sentinel) {
    return [
      {
        code: "sentinel_unknown",
        facts: { detail: sentinel.refused },
        severity: "unknown",
        title: "No Sentinel reports the state of its group",
        risk: `Lockkeeper cannot determine whether a failover is possible (${sentinel.refused}).`,
        masters: [],
      },
    ];
  }
  const quorum = Number(sentinel.get("quorum"));
  const count = Number(sentinel.get("num-other-sentinels")) + 1;
  const majority = Math.floor(count / 2) + 1;
  const few: Finding[] =
    count >= 3
      ? []
      : [
          {
            code: "few_sentinels",
            facts: { count: String(count) },
            severity: "warning",
            title: `${count === 1 ? "One Sentinel watches" : `${count} Sentinels watch`} the master`,
            risk: "With fewer than three Sentinels, one failure leaves no majority, so no replica is promoted.",
            masters: [],
          },
        ];
  if (!(quorum > count)) return few;
  return [
    ...few,
    {
      code: "sentinel_quorum",
      facts: { quorum: String(quorum), count: String(count) },
      severity: "danger",
      title: `A failover requires ${quorum} Sentinels, but there are only ${count}`,
      risk: "They can never agree that the master is down, so no replica is promoted.",
      command: `SENTINEL SET ${sentinel.get("name") ?? "NAME"} quorum ${majority}`,
      masters: [],
    },
  ];
}

function mergeFindings(findings: readonly Finding[]): Finding[] {
  const groups = new Map<string, Finding>();
  for (const finding of findings) {
    const same = `${finding.code}\n${finding.title}\n${finding.risk}\n${finding.command ?? ""}`;
    const group = groups.get(same);
    groups.set(same, group ? { ...group, masters: [...group.masters, ...finding.masters] } : finding);
  }
  return [...groups.values()];
}
