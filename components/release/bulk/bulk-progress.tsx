"use client";

import Link from "next/link";
import { useEffect, useRef } from "react";
import { isServerAdmin } from "@/components/app/permissions.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { bulk as english } from "@/lib/i18n/en/bulk.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { focusInDialog } from "../focus-in-dialog.ts";
import { formatBulkCsv } from "./bulk-csv.ts";
import { BulkLineList, BulkLineScroller } from "./bulk-line-list.tsx";
import {
  type BulkState,
  collectResults,
  findRemainingItems,
  groupByOutcome,
  isReleased,
} from "./bulk-state.ts";
import type { BulkRelease } from "./use-bulk-release.ts";

/** Shows the progress of a bulk release, the results so far and, after the release, the follow-up actions. */
export function BulkProgress({ bulk: { state, reviewAgain } }: { bulk: BulkRelease }) {
  const messages = useMessages(english);
  const { step, released, total = 0 } = state;
  const groups = groupByOutcome(released);
  const releasedGroups = released.filter(isReleased);
  const unreleasedGroups = [...groups].filter(([, [line]]) => line !== undefined && !isReleased(line));
  return (
    <>
      <div className="flex items-center gap-3">
        <div
          role="progressbar"
          aria-label={messages.progressLabel}
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
        <p className="text-ink-2">{messages.progress(formatNumber(released.length), formatNumber(total))}</p>
      </div>
      <BulkSummary state={state} />
      {step.at === "ended" && <BulkFollowUp state={state} onAgain={reviewAgain} />}
      {released.length > 0 && (
        <BulkLineScroller count={released.length}>
          {unreleasedGroups.map(([outcome, lines]) => (
            <BulkLineList
              key={outcome}
              title={messages.outcomeGroup(formatNumber(lines.length), messages.outcomes[outcome])}
              lines={lines}
              shows="outcome"
            />
          ))}
          <BulkLineList
            title={messages.releasedGroup(formatNumber(releasedGroups.length))}
            lines={releasedGroups}
            shows="outcome"
          />
        </BulkLineScroller>
      )}
    </>
  );
}

function BulkSummary({ state }: { state: BulkState }) {
  const messages = useMessages(english);
  const { step, released, total = 0 } = state;
  const groups = groupByOutcome(released);
  const releasedCount = groups.get("released")?.length ?? 0;
  const isEnded = step.at === "ended";
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => (isEnded ? focusInDialog(place) : undefined), [isEnded]);
  return (
    <div
      ref={place}
      tabIndex={-1}
      role="status"
      data-testid="bulk-outcome"
      className="flex flex-col gap-1 rounded-[9px] bg-line-soft px-3 py-2.5 outline-offset-2"
    >
      <p className="font-semibold">{formatProgressHeading(state, releasedCount, messages)}</p>
      <p className="flex flex-wrap gap-x-3 text-ink-2">
        {[...groups].map(([outcome, lines]) => (
          <span key={outcome}>
            {messages.counted(formatNumber(lines.length), messages.outcomes[outcome])}
          </span>
        ))}
      </p>
      {isEnded && step.how !== "done" && total > released.length && (
        <p className="text-warn">
          {(step.how === "stopped" ? messages.notStarted : messages.noResponse)(
            formatNumber(total - released.length),
          )}
        </p>
      )}
    </div>
  );
}

function formatProgressHeading(
  { step, total = 0 }: BulkState,
  released: number,
  messages: typeof english,
): string {
  const shown = formatNumber(released);
  if (step.at === "releasing") return messages.releasing;
  if (step.at === "ended" && step.how === "stopped") return messages.stopped(shown);
  if (step.at === "ended" && step.how === "cut") return messages.connectionLost(shown);
  return released === total ? messages.allReleased : messages.someReleased(shown, formatNumber(total));
}

/**
 * Shows what the operator can do after a bulk release: review the remaining locks, save the results as CSV and, for
 * admins, open the audit log.
 */
function BulkFollowUp({ state, onAgain }: { state: BulkState; onAgain(): void }) {
  const messages = useMessages(english);
  const { hello } = useLiveState();
  const target = useTargetName();
  const left = findRemainingItems(state).length;
  const results = collectResults(state);
  const query = new URLSearchParams({ action: "force_release,bulk_force_release" });
  const [first] = results.flatMap(({ result }) => result?.asOf ?? []);
  if (first !== undefined) query.set("from", String(Math.floor(first - MARGIN_MS)));
  if (target !== undefined) query.set("target", target);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 max-sm:[&>button]:h-11">
      {left > 0 && <Button onClick={onAgain}>{messages.reviewRemaining(left, formatNumber(left))}</Button>}
      {results.length > 0 && <Button onClick={() => saveCsv(formatBulkCsv(results))}>{messages.csv}</Button>}
      {isServerAdmin(hello) && (
        <Link
          href={`/audit?${query}`}
          prefetch={false}
          className="inline-flex min-h-6 items-center text-accent underline decoration-line hover:decoration-accent max-sm:min-h-11"
        >
          {messages.audit}
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
