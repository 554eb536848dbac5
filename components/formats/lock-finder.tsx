"use client";

import { useCommands } from "@/components/app/command-registry.tsx";
import { getFormatLabel } from "@/components/lock-facts/use-format-texts.ts";
import { Button } from "@/components/ui/button.tsx";
import { CommandLine } from "@/components/ui/command-line.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { FinderReport, FoundGroup } from "@/lib/contract/detection/lock-finder.ts";
import { formats as english } from "@/lib/i18n/en/formats.tsx";
import { lock } from "@/lib/i18n/en/lock.tsx";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useFinderAction, useFinderReport } from "@/lib/queries/lock-finder.ts";

type FinderMessages = Messages["formats"]["finder"];

function formatStartLabel(state: FinderReport["state"], messages: FinderMessages): string {
  if (state === "done") return messages.findAgain;
  return state === "cancelled" || state === "failed" ? messages.resume : messages.find;
}

/** Lets the operator start a scan of all keys for locks, and suggests a value for `LOCKKEEPER_WATCH`. */
export function LockFinder() {
  const { finder: messages } = useMessages(english);
  const { data: finding, error } = useFinderReport();
  const start = useFinderAction("start");
  const cancel = useFinderAction("cancel");
  useCommands(
    finding === undefined
      ? []
      : finding.state === "running"
        ? [{ id: "finder:stop", name: messages.stopFinding, run: () => cancel.mutate() }]
        : [{ id: "finder:start", name: messages.findCommand, run: () => start.mutate() }],
  );
  const failure = start.error ?? cancel.error ?? error;
  return (
    <div className="flex flex-col gap-3 text-left" data-testid="finder">
      <ProblemNote problem={failure} />
      {finding !== undefined && (
        <>
          <div className="flex flex-wrap items-center gap-3">
            {finding.state === "running" ? (
              <Button onClick={() => cancel.mutate()}>{messages.cancel}</Button>
            ) : (
              <Button onClick={() => start.mutate()}>{formatStartLabel(finding.state, messages)}</Button>
            )}
            <p role="status" className="text-ink-3">
              {formatProgress(finding, messages)}
            </p>
          </div>
          {finding.state === "running" && <FinderProgress finding={finding} />}
          {finding.groups.length > 0 && <FoundGroups groups={finding.groups} />}
          {finding.watch !== null && (
            <>
              <p className="text-ink-2">{messages.toWatch}</p>
              <CommandLine text={`LOCKKEEPER_WATCH='${finding.watch}'`} label={messages.copySetting} />
            </>
          )}
        </>
      )}
    </div>
  );
}

function formatProgress(
  { state, scanned, keys, groups, detail }: FinderReport,
  messages: FinderMessages,
): string {
  if (state === "idle") return messages.idle;
  const [far, of] = [formatNumber(scanned), keys === null ? null : formatNumber(keys)];
  if (state === "running") return messages.running(far, of);
  if (detail !== undefined) return messages.failed ?? detail;
  return messages.ended(far, of, groups.length > 0, state === "cancelled");
}

/** Shows the progress of the scan. The progress bar is indeterminate while the number of keys is unknown. */
function FinderProgress({ finding: { scanned, keys } }: { finding: FinderReport }) {
  const { finder: messages } = useMessages(english);
  return (
    <progress
      aria-label={messages.progress}
      max={keys ?? undefined}
      value={keys === null ? undefined : Math.min(scanned, keys)}
      className="h-1.5 w-full max-w-96 appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
    />
  );
}

function FoundGroups({ groups }: { groups: readonly FoundGroup[] }) {
  const { finder: messages, confidences } = useMessages(english);
  const names = useMessages(lock);
  return (
    <ul className="flex flex-col divide-y divide-line-soft rounded-[8px] border border-line">
      {groups.map(({ pattern, format, confidence, count, example, isWatched, isListed }) => (
        <li key={`${format} ${pattern}`} className="flex flex-wrap items-baseline gap-x-2 px-3 py-1.5">
          <span className="font-medium tabular-nums">{formatNumber(count)}</span>
          <span translate="no">{getFormatLabel(format, names)}</span>
          <span className="text-ink-3">{messages.under}</span>
          <code className="min-w-0 font-mono text-xs" title={example}>
            <SafeText text={pattern} wrap />
          </code>
          <span className="text-2xs text-ink-3">
            {messages.confidence(confidences[confidence], isWatched)}
            {!isListed && messages.unlisted}
          </span>
        </li>
      ))}
    </ul>
  );
}
