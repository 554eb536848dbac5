import type { MasterHealth, UnreadableKeyCounts } from "../../lib/contract/live.ts";
import type { Finding, Severity, Topology } from "../../lib/contract/target.ts";
import { checkIgnored } from "./ignored-findings.ts";
import { collectMasterFindings } from "./master-findings.ts";
import { toNotificationReport } from "./master-report.ts";
import type { MasterFacts } from "./redis-facts.ts";
import { checkUnreadableKeys } from "./unreadable-findings.ts";
import { checkWriteRefusals } from "./write-refusals.ts";

/** All that is known of a target when its findings are drawn. */
export interface TargetFacts {
  readonly topology: Topology;
  readonly notifications: { readonly state: "on" | "off"; readonly detail: string | undefined };
  readonly masters: readonly MasterHealth[];
  /** undefined: every watched key can be read. */
  readonly unreadableKeys: UnreadableKeyCounts | undefined;
  readonly masterFacts: readonly MasterFacts[];
  /** Fields of SENTINEL MASTER; why they are not known; undefined where there is no Sentinel. */
  readonly sentinel: ReadonlyMap<string, string> | { readonly refused: string } | undefined;
  readonly oversizedKeys?: number | undefined;
  readonly ignoredEvents?: number | undefined;
  /** Commands that this user may not run, and the user they are missing to. */
  readonly user: string;
}

const SEVERITY_ORDER: readonly Severity[] = ["danger", "warning", "unknown", "note"];
/** Further apart, deadlines that one clock wrote mean something else by another. */
const CLOCK_OFFSET_MS_MAX = 1000;

/** What makes a target unsafe for locks, the worst first; what several masters have in common is said once. */
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
    const more = left === 0 ? "no further one may" : `${left} more may`;
    return down.map(({ name, detail }) => ({
      code: "down",
      facts: { name, quorum: "1", left: String(left), detail: detail ?? "" },
      severity: "warning",
      title: `${name} does not answer`,
      risk: `The others decide without it, and ${more} fail. If it comes back without its data while a lease still runs, two may hold a lock. ${detail ?? ""}`.trim(),
      masters: [name],
    }));
  }
  return down.map(({ name, detail }) => ({
    code: "down",
    facts: { name, quorum: "0", left: "0", detail: detail ?? "" },
    severity: "danger",
    title: `${name} does not answer`,
    risk: `Its locks can be neither taken nor given back, and end with their leases. ${detail ?? ""}`.trim(),
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
    // What is to be set says it all; what else is the matter only the one who watches knows.
    const isSaid = (report?.missing.length ?? 0) > 0;
    return {
      code: "notifications",
      facts: {
        setting: report?.setting ?? "",
        missing: report?.missing.join("") ?? "",
        detail: detail ?? "",
      },
      severity: "warning",
      title: "Redis does not tell of changes",
      risk: `Keys are scanned instead: what happens between two scans is not seen, and scanning costs Redis time. ${isSaid ? "" : (detail ?? "")}`.trim(),
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
        risk: "Locks that hold a deadline of their client's clock end too early or too late, and times in logs do not fit.",
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
            risk: "After a failover fences may fall, until the slower clock has caught up: a resource may refuse the new holder.",
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
        risk: "With fewer than three no majority of them is left when one fails, so none of its replicas is promoted.",
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
      risk: "An even number bears no more outages than one less, and votes can be split.",
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
        title: "No sentinel tells of its group",
        risk: `Whether a failover can happen is not known (${sentinel.refused}).`,
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
            title: `${count === 1 ? "One sentinel watches" : `${count} sentinels watch`} the master`,
            risk: "With fewer than three no majority is left when one fails, so nobody is promoted.",
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
      title: `A failover asks for ${quorum} sentinels, and there are ${count}`,
      risk: "They never agree that the master is down, so nobody is promoted.",
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
