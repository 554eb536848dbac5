"use client";

import { formatLabel } from "@/components/lock/format-facts.ts";
import { Button } from "@/components/ui/button.tsx";
import { Command } from "@/components/ui/command.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { FinderReport, FoundGroup } from "@/lib/contract/finder.ts";
import { useFinder, useFinding } from "@/lib/live/hooks.ts";

const START: Record<FinderReport["state"], string> = {
  idle: "Find locks",
  running: "Find locks",
  done: "Find locks again",
  cancelled: "Go on",
  failed: "Go on",
};

/** Looks through all keys for locks, and says what to watch. */
export function LockFinder() {
  const { data: finding, error } = useFinding();
  const start = useFinder("start");
  const cancel = useFinder("cancel");
  const failure = start.error ?? cancel.error ?? error;
  return (
    <div className="flex flex-col gap-3 text-left" data-testid="finder">
      {failure !== null && (
        <p role="alert" className="text-bad">
          {failure.message}
        </p>
      )}
      {finding !== undefined && (
        <>
          <div className="flex flex-wrap items-center gap-3">
            {finding.state === "running" ? (
              <Button onClick={() => cancel.mutate()}>Stop</Button>
            ) : (
              <Button onClick={() => start.mutate()}>{START[finding.state]}</Button>
            )}
            <p role="status" className="text-ink-3">
              {progressOf(finding)}
            </p>
          </div>
          {finding.groups.length > 0 && <Groups groups={finding.groups} />}
          {finding.watch !== null && (
            <>
              <p className="text-ink-2">To watch these as well, set this and start Lockkeeper again:</p>
              <Command text={`LOCKKEEPER_WATCH='${finding.watch}'`} label="Copy the setting" />
            </>
          )}
        </>
      )}
    </div>
  );
}

function progressOf({ state, scanned, keys, groups, detail }: FinderReport): string {
  if (state === "idle") return "Goes through all keys, whatever is watched, in a fifth of the time.";
  const of = keys === null ? "" : ` of ${keys.toLocaleString("en")}`;
  const far = `${scanned.toLocaleString("en")}${of} keys`;
  if (state === "running") return `${far}…`;
  const found = groups.length === 0 ? "no locks" : "what is found is below";
  return detail ?? `${far}: ${found}${state === "cancelled" ? ", so far" : ""}.`;
}

function Groups({ groups }: { groups: readonly FoundGroup[] }) {
  return (
    <ul className="flex flex-col divide-y divide-line-soft rounded-[8px] border border-line">
      {groups.map(({ pattern, format, confidence, count, example, isWatched }) => (
        <li key={`${format} ${pattern}`} className="flex flex-wrap items-baseline gap-x-2 px-3 py-1.5">
          <span className="font-medium tabular-nums">{count.toLocaleString("en")}</span>
          <span>{formatLabel(format)}</span>
          <span className="text-ink-3">under</span>
          <code className="min-w-0 font-mono text-xs" title={example}>
            <SafeText text={pattern} wrap />
          </code>
          <span className="text-2xs text-ink-3">
            {confidence}
            {isWatched ? ", watched" : ""}
          </span>
        </li>
      ))}
    </ul>
  );
}
