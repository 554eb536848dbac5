"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { CommandLine } from "@/components/ui/command-line.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Finding, Severity, UnreadableKey } from "@/lib/contract/target.ts";
import { targets } from "@/lib/i18n/en/targets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { buildRedisCliLines } from "./redis-cli-command.ts";
import { UnreadableKeyList } from "./unreadable-key-list.tsx";

const TONES: Record<Severity, string> = {
  danger: "text-bad",
  warning: "text-warn",
  unknown: "text-ink-2",
  note: "text-ink-2",
};

interface FindingListProps {
  findings: readonly Finding[];
  masters: readonly string[];
  unreadableKeys: readonly UnreadableKey[];
}

/**
 * Lists the findings in the given order, each with its risk and, if there is one, the command that fixes or diagnoses
 * the problem.
 */
export function FindingList({ findings, masters, unreadableKeys }: FindingListProps) {
  const messages = useMessages(targets);
  if (findings.length === 0) return <p className="px-4 py-3 text-ink-2">{messages.nothingFound}</p>;
  return (
    <ul aria-label={messages.findings}>
      {findings.map((finding) => (
        <li
          key={`${finding.code} ${finding.masters.join(" ")}`}
          className="grid gap-x-4 gap-y-1 border-line-soft px-4 py-3 not-last:border-b sm:grid-cols-[88px_minmax(0,1fr)]"
        >
          <span className={clsx("font-medium", TONES[finding.severity])}>
            {messages.severities[finding.severity]}
          </span>
          <FindingItem finding={finding} masters={masters}>
            {finding.code === "unreadable_keys" && <UnreadableKeyList keys={unreadableKeys} />}
          </FindingItem>
        </li>
      ))}
    </ul>
  );
}

interface FindingItemProps {
  finding: Finding;
  masters: readonly string[];
  /** Shown below the risk. */
  children: ReactNode;
}

function FindingItem({ finding, masters, children }: FindingItemProps) {
  const messages = useMessages(targets);
  const { code, facts, command } = finding;
  const texts = messages.translations?.[code];
  const title = texts?.title(facts) ?? finding.title;
  // A translated risk does not contain the Redis error. If flags are missing, the command is sufficient without the
  // error.
  const detail = texts === undefined || facts.missing ? "" : String(facts.detail ?? "");
  const lines = command === undefined ? [] : buildRedisCliLines(command, finding.masters);
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <p className="font-medium">
        <SafeText text={title} wrap />
      </p>
      <p className="text-ink-2">
        <SafeText text={texts?.risk(facts) ?? finding.risk} wrap />
      </p>
      {detail !== "" && (
        <p lang="en" translate="no" className="text-2xs text-ink-3">
          <SafeText text={detail} wrap />
        </p>
      )}
      {children}
      {masters.length > 1 && finding.masters.length > 0 && (
        <p className="text-2xs text-ink-3">
          <SafeText text={messages.atMasters(finding.masters.join(", "))} wrap />
        </p>
      )}
      {code === "notifications" && <MissingFlagsNotice finding={finding} />}
      {lines.length > 0 && <CommandLine text={lines.join("\n")} label={messages.copyCommand(title)} />}
      {code === "notifications" && <p className="text-2xs text-ink-3">{messages.orAtStart}</p>}
    </div>
  );
}

/** Lists the changes that Redis does not report, because flags are missing from `notify-keyspace-events`. */
function MissingFlagsNotice({ finding: { facts } }: { finding: Finding }) {
  const messages = useMessages(targets);
  const missing = String(facts.missing ?? "");
  const setting = String(facts.setting ?? "");
  const flags = Object.entries(messages.unseen).filter(([flag]) => missing.includes(flag));
  if (flags.length === 0) return null;
  return (
    <div className="flex flex-col gap-1 text-ink-2">
      <p>
        <SafeText text={setting === "" ? messages.currentlyEmpty : messages.currentFlags(setting)} wrap />{" "}
        {messages.unnotifiedTitle}
      </p>
      <ul className="grid gap-x-6 gap-y-0.5 md:grid-cols-2">
        {flags.map(([flag, what]) => (
          <li key={flag} className="flex gap-2">
            <code className="w-3 shrink-0 font-mono text-xs text-ink">{flag}</code>
            <span>{what}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
