"use client";

import Link from "next/link";
import { useEffect, useRef } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { bulk as english } from "@/lib/i18n/en/bulk.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { formatBulkCsv } from "./bulk-csv.ts";
import { BulkLineList, BulkLinePlaceholder } from "./bulk-line-list.tsx";
import {
  type BulkState,
  collectResults,
  findRemainingItems,
  groupByOutcome,
  isReleased,
} from "./bulk-state.ts";
import type { BulkRelease } from "./use-bulk-release.ts";

/** How far it is, and at the end what became of each. */
export function BulkProgress({ bulk: { state, reviewAgain } }: { bulk: BulkRelease }) {
  const words = useMessages(english);
  const { step, released, total = 0 } = state;
  const groups = groupByOutcome(released);
  const gone = released.filter(isReleased);
  const kept = [...groups].filter(([, [line]]) => line !== undefined && !isReleased(line));
  return (
    <>
      <div className="flex items-center gap-3">
        <div
          role="progressbar"
          aria-label={words.soFar}
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={released.length}
          className="h-1.5 flex-1 overflow-hidden rounded-full bg-line"
        >
          <div
            className="h-full origin-left rounded-full bg-accent"
            style={{ transform: `scaleX(${released.length / Math.max(1, total)})` }}
          />
        </div>
        <p className="text-ink-2">{words.progress(formatNumber(released.length), formatNumber(total))}</p>
      </div>
      <BulkSummary state={state} />
      {step.at === "ended" && <BulkFollowUp state={state} onAgain={reviewAgain} />}
      {released.length > 0 && (
        <BulkLinePlaceholder count={released.length}>
          {kept.map(([outcome, lines]) => (
            <BulkLineList
              key={outcome}
              title={words.notFreed(formatNumber(lines.length), words.outcomes[outcome])}
              lines={lines}
              shows="outcome"
            />
          ))}
          <BulkLineList title={words.freed(formatNumber(gone.length))} lines={gone} shows="outcome" />
        </BulkLinePlaceholder>
      )}
    </>
  );
}

function BulkSummary({ state }: { state: BulkState }) {
  const words = useMessages(english);
  const { step, released, total = 0 } = state;
  const groups = groupByOutcome(released);
  const releasedCount = groups.get("released")?.length ?? 0;
  const isEnded = step.at === "ended";
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isEnded) place.current?.focus();
  }, [isEnded]);
  return (
    <div
      ref={place}
      tabIndex={-1}
      role="status"
      data-testid="bulk-outcome"
      className="flex flex-col gap-1 rounded-[9px] bg-line-soft px-3 py-2.5 outline-offset-2"
    >
      <p className="font-semibold">{formatProgressHeading(state, releasedCount, words)}</p>
      <p className="flex flex-wrap gap-x-3 text-ink-2">
        {[...groups].map(([outcome, lines]) => (
          <span key={outcome}>{words.counted(formatNumber(lines.length), words.outcomes[outcome])}</span>
        ))}
      </p>
      {isEnded && step.how !== "done" && total > released.length && (
        <p className="text-warn">
          {(step.how === "stopped" ? words.notBegun : words.untold)(formatNumber(total - released.length))}
        </p>
      )}
    </div>
  );
}

function formatProgressHeading(
  { step, total = 0 }: BulkState,
  released: number,
  words: typeof english,
): string {
  const shown = formatNumber(released);
  if (step.at === "releasing") return words.freeing;
  if (step.at === "ended" && step.how === "stopped") return words.stopped(shown);
  if (step.at === "ended" && step.how === "cut") return words.brokeOff(shown);
  return released === total ? words.allFreed : words.someFreed(shown, formatNumber(total));
}

/** What can be done about what is left, and where all of it is written down. */
function BulkFollowUp({ state, onAgain }: { state: BulkState; onAgain(): void }) {
  const words = useMessages(english);
  const { hello } = useLiveState();
  const target = useTargetName();
  const left = findRemainingItems(state).length;
  const told = collectResults(state);
  const query = new URLSearchParams({ action: "force-release,force-release-many" });
  const [first] = told.flatMap(({ freed }) => freed?.asOf ?? []);
  if (first !== undefined) query.set("from", String(Math.floor(first - MARGIN_MS)));
  if (target !== undefined) query.set("target", target);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 max-sm:[&>button]:h-11">
      {left > 0 && <Button onClick={onAgain}>{words.lookAgain(left, formatNumber(left))}</Button>}
      {told.length > 0 && <Button onClick={() => saveCsv(formatBulkCsv(told))}>{words.csv}</Button>}
      {hello?.operator.may.includes("admin") && (
        <Link
          href={`/audit?${query}`}
          prefetch={false}
          className="inline-flex min-h-6 items-center text-accent underline decoration-line hover:decoration-accent max-sm:min-h-11"
        >
          {words.audit}
        </Link>
      )}
    </div>
  );
}

const MARGIN_MS = 60_000;

function saveCsv(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "released.csv";
  link.click();
  URL.revokeObjectURL(url);
}
