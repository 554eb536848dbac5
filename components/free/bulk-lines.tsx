"use client";

import { HolderName } from "@/components/lock/holder-text.tsx";
import { KeyText } from "@/components/lock/key-text.tsx";
import { formatRemaining } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { BulkItemLine } from "@/lib/contract/bulk.ts";
import { OUTCOME_WORDS } from "./bulk-state.ts";

const SHOWN_MAX = 100;

interface BulkLinesProps {
  title: string;
  lines: readonly BulkItemLine[];
  /** Says of each what is, or would be, become of it. */
  withOutcome?: boolean;
}

export function BulkLines({ title, lines, withOutcome = false }: BulkLinesProps) {
  if (lines.length === 0) return null;
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <h3 className="font-semibold">{title}</h3>
      <ul className="flex flex-col divide-y divide-line-soft rounded-[8px] border border-line">
        {lines.slice(0, SHOWN_MAX).map((line) => (
          <Line key={line.index} line={line} withOutcome={withOutcome} />
        ))}
      </ul>
      {lines.length > SHOWN_MAX && <p className="text-ink-3">and {lines.length - SHOWN_MAX} more</p>}
    </section>
  );
}

function Line({ line, withOutcome }: { line: BulkItemLine; withOutcome: boolean }) {
  const { item, outcome, problem, seen } = line;
  return (
    <li className="px-3 py-1.5">
      <div className="flex min-w-0 text-xs">
        <KeyText text={item.key} />
      </div>
      {withOutcome ? (
        <p className={outcome === "released" || outcome === "already_gone" ? "text-ink-3" : "text-warn"}>
          <span title={problem?.detail}>{OUTCOME_WORDS[outcome]}</span>
          {problem !== undefined && outcome !== "changed" && (
            <span className="block text-2xs text-ink-3">
              <SafeText text={problem.detail} wrap />
            </span>
          )}
        </p>
      ) : (
        seen !== undefined && <Seen seen={seen} />
      )}
    </li>
  );
}

/** Who holds it, and whether that one lives. */
function Seen({ seen }: { seen: NonNullable<BulkItemLine["seen"]> }) {
  const { holders, verdict, remainingMs, waiters } = seen;
  const [holder] = holders;
  const facts = [
    remainingMs === null ? "no expiry" : `${formatRemaining(remainingMs)} left`,
    ...(verdict === null ? [] : [verdict === "unknown" ? "liveness unknown" : verdict.replaceAll("_", " ")]),
    ...(waiters.count ? [`${waiters.count} waiting`] : []),
  ];
  return (
    <p className="truncate text-2xs text-ink-2">
      {holder !== undefined && <HolderName holder={holder} />}
      {holders.length > 1 && ` and ${holders.length - 1} more`}
      <span className={verdict === "renewing" ? "text-warn" : "text-ink-3"}>, {facts.join(", ")}</span>
    </p>
  );
}
