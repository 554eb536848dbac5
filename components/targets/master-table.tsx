"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { StateDot } from "@/components/app/target-badges.tsx";
import {
  formatAgo,
  formatClock,
  formatElapsed,
  formatNumber,
  formatSpan,
} from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { MasterHealth } from "@/lib/contract/live.ts";
import type { MasterReport } from "@/lib/contract/target.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { targets } from "@/lib/i18n/en/targets.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { formatBytes } from "./format-bytes.ts";
import { PollingDelay } from "./polling-delay.tsx";

interface MasterTableProps {
  masters: readonly MasterHealth[];
  /** The status reports of the masters; `undefined` while they load. */
  reports: readonly MasterReport[] | undefined;
}

const COLUMN_HEADERS = [
  "master",
  "version",
  "latency",
  "memory",
  "persisted",
  "replicas",
  "lastScan",
  "notifications",
] as const;

/**
 * Lists the masters of a target with their state, version, latency, memory, persistence, replicas, last scan and
 * keyspace notifications.
 */
export function MasterTable({ masters, reports }: MasterTableProps) {
  const { masters: messages } = useMessages(targets);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
    <section className="overflow-x-auto border-b border-line-soft" aria-label={messages.label} tabIndex={0}>
      <table className="w-full text-left md:min-w-[920px]">
        <thead className="max-md:sr-only">
          <tr className="text-2xs text-ink-3">
            {COLUMN_HEADERS.map((head) => (
              <th key={head} scope="col" className="px-2 pt-2 pb-1 font-normal first:pl-4 last:pr-4">
                {messages[head]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {masters.map((master) => (
            <MasterRow
              key={master.name}
              master={master}
              report={reports?.find(({ name }) => name === master.name)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function MasterRow({ master, report }: { master: MasterHealth; report: MasterReport | undefined }) {
  const messages = useMessages(shell);
  const { masters: own } = useMessages(targets);
  const { name, state, downSince } = master;
  return (
    <tr className="border-t border-line-soft align-top max-md:grid max-md:grid-cols-2 max-md:gap-y-2 max-md:py-2">
      <th scope="row" className="px-2 py-1.5 pl-4 font-normal max-md:col-span-2 max-md:py-0">
        <span className="block font-mono text-xs">
          <SafeText text={name} />
        </span>
        <span className="flex items-center gap-1.5 text-2xs text-ink-2">
          <StateDot state={state} />
          {messages.states[state]}
          {state === "down" && downSince !== undefined && ` ${own.downSince(formatClock(downSince))}`}
        </span>
      </th>
      <ServerVersion report={report} />
      <ResponseTime master={master} />
      <MemoryUse report={report} />
      <DiskState report={report} />
      <ReplicaList report={report} />
      <LastScan master={master} />
      <NotificationState master={master} report={report} />
    </tr>
  );
}

interface MasterCellProps {
  head: (typeof COLUMN_HEADERS)[number];
  tone?: "plain" | "warn" | "bad";
  more?: ReactNode;
  children: ReactNode;
}

function MasterCell({ head, tone = "plain", more, children }: MasterCellProps) {
  const { masters: messages } = useMessages(targets);
  return (
    <td className="px-2 py-1.5 last:pr-4 max-md:px-4 max-md:py-0">
      <span aria-hidden className="block text-2xs text-ink-3 md:hidden">
        {messages[head]}
      </span>
      <span
        className={clsx(
          "block whitespace-nowrap tabular-nums",
          tone === "bad" && "text-bad",
          tone === "warn" && "text-warn",
        )}
      >
        {children}
      </span>
      {more !== undefined && <span className="block text-2xs text-ink-3">{more}</span>}
    </td>
  );
}

type ReportedValue = { report: MasterReport | undefined };

/** Returns the value, or the text for an unknown value if the value is missing. */
function formatOrUnknown(value: ReactNode | null | undefined, unknown: string): ReactNode {
  return value ?? <span className="text-ink-3">{unknown}</span>;
}

function ServerVersion({ report }: ReportedValue) {
  const { masters: messages } = useMessages(targets);
  const uiMessages = useMessages(ui);
  const uptime = report?.uptimeS;
  return (
    <MasterCell
      head="version"
      more={typeof uptime === "number" ? messages.upFor(formatElapsed(uptime * 1000, uiMessages)) : undefined}
    >
      {formatOrUnknown(report?.version, messages.unknown)}
    </MasterCell>
  );
}

/**
 * Clock difference, in ms, below which the clocks count as equal. Network latency alone can cause such a difference.
 */
const SAME_MS = 50;

function ResponseTime({ master: { state, roundTripUs, clockOffsetMs } }: { master: MasterHealth }) {
  const { masters: messages } = useMessages(targets);
  const uiMessages = useMessages(ui);
  if (state === "down" || roundTripUs === null)
    return <MasterCell head="latency">{formatOrUnknown(null, messages.unknown)}</MasterCell>;
  const apartMs = Math.abs(clockOffsetMs);
  const apart = formatSpan(apartMs, uiMessages);
  const clock =
    apartMs < SAME_MS
      ? messages.clockAsOurs
      : clockOffsetMs > 0
        ? messages.clockAhead(apart)
        : messages.clockBehind(apart);
  return (
    <MasterCell head="latency" more={clock}>
      {roundTripUs < 1000 ? messages.underOneMs : formatSpan(roundTripUs / 1000, uiMessages)}
    </MasterCell>
  );
}

function MemoryUse({ report }: ReportedValue) {
  const { masters: messages, between } = useMessages(targets);
  const { usedMemoryBytes: used, maxMemoryBytes: limit, memoryPolicy: policy, evictedKeys } = report ?? {};
  const size =
    typeof used !== "number"
      ? null
      : limit
        ? messages.ofLimit(formatBytes(used), formatBytes(limit))
        : messages.noLimit(formatBytes(used));
  const evicts = policy !== undefined && policy !== null && policy !== "noeviction";
  return (
    <MasterCell
      head="memory"
      tone={evicts ? (limit ? "bad" : "warn") : "plain"}
      more={
        <>
          {size}
          {evictedKeys ? between + messages.evicted(formatNumber(evictedKeys)) : ""}
        </>
      }
    >
      {formatOrUnknown(policy, messages.unknown)}
    </MasterCell>
  );
}

function DiskState({ report }: ReportedValue) {
  const { masters: messages } = useMessages(targets);
  const { persistence, fsync } = report ?? {};
  const isAof = persistence === "aof" || persistence === "both";
  return (
    <MasterCell
      head="persisted"
      tone={persistence === "none" ? "warn" : "plain"}
      more={isAof && fsync ? <span translate="no">{fsync}</span> : undefined}
    >
      {formatOrUnknown(persistence ? messages.persistence[persistence] : null, messages.unknown)}
    </MasterCell>
  );
}

function ReplicaList({ report }: ReportedValue) {
  const { masters: messages } = useMessages(targets);
  const { replicas, minReplicas } = report ?? {};
  return (
    <MasterCell head="replicas" more={minReplicas ? messages.atLeast(minReplicas) : undefined}>
      {formatOrUnknown(replicas, messages.unknown)}
    </MasterCell>
  );
}

function LastScan({ master: { scan, scannedAt, scanMs } }: { master: MasterHealth }) {
  const { masters: messages } = useMessages(targets);
  const ago = useMessages(ui);
  const now = useServerNow();
  const duration = scanMs === null ? undefined : messages.scanTook(formatSpan(scanMs, ago));
  if (scannedAt === null && scan?.keys) {
    const percent = Math.min(99, Math.floor((100 * scan.scanned) / scan.keys));
    return <MasterCell head="lastScan">{messages.scanRunning(percent)}</MasterCell>;
  }
  return (
    <MasterCell head="lastScan" more={duration}>
      {scannedAt === null
        ? messages.neverScanned
        : messages.scannedAgo(formatAgo(now === null ? 0 : now - scannedAt, ago))}
    </MasterCell>
  );
}

function NotificationState({ master, report }: { master: MasterHealth } & ReportedValue) {
  const { masters: messages } = useMessages(targets);
  if (master.state === "down")
    return <MasterCell head="notifications">{formatOrUnknown(null, messages.unknown)}</MasterCell>;
  const { setting = "", missing = [] } = report?.notifications ?? {};
  const isOn = master.notifications === "on";
  return (
    <MasterCell
      head="notifications"
      tone={isOn ? "plain" : "warn"}
      more={
        missing.length > 0 ? (
          messages.missingFlags(missing.join(""))
        ) : (
          <span translate="no" className="font-mono">
            {setting}
          </span>
        )
      }
    >
      {isOn ? messages.on : messages.off}
      <PollingDelay polling={master.polling} />
    </MasterCell>
  );
}
