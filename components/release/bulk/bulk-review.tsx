"use client";

import { formatNumber } from "@/components/ui/format-duration.ts";
import type { BulkItemResult } from "@/lib/api/bulk-release.ts";
import { bulk as english } from "@/lib/i18n/en/bulk.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { BULK_ITEMS_MAX } from "../../../lib/contract/limits.ts";
import { BulkLineList, BulkLineScroller } from "./bulk-line-list.tsx";
import { type BulkState, findReleasable } from "./bulk-state.ts";

/**
 * Shows the progress of the review, warnings, the locks that will be released, and the locks that will not be released
 * with the reason for each.
 */
export function BulkReview({ state }: { state: BulkState }) {
  const messages = useMessages(english);
  const { step, found, total, reviewed } = state;
  const releasable = findReleasable(state);
  const left = reviewed.filter(({ outcome }) => outcome !== "would_release");
  const isOver = step.at === "reviewed";
  return (
    <>
      {!isOver && (
        <p role="status" className="text-ink-3">
          {total === undefined
            ? messages.reviewingAll
            : messages.reviewed(formatNumber(reviewed.length), formatNumber(total))}
        </p>
      )}
      {found !== undefined && found > BULK_ITEMS_MAX && (
        <p className="rounded-[9px] bg-warn-bg px-3 py-2.5 text-warn">
          {messages.tooMany(formatNumber(found), formatNumber(BULK_ITEMS_MAX))}
        </p>
      )}
      <ReviewWarnings lines={releasable} />
      {reviewed.length > 0 && (
        <BulkLineScroller count={reviewed.length}>
          <BulkLineList
            title={messages.willRelease(formatNumber(releasable.length))}
            lines={releasable}
            shows="seen"
          />
          <BulkLineList
            title={messages.notReleased(formatNumber(left.length))}
            lines={left}
            shows="outcome"
          />
        </BulkLineScroller>
      )}
      {isOver && (
        <p className={releasable.length > 0 ? "text-2xs text-ink-3" : "text-ink-2"}>
          {releasable.length > 0 ? messages.onlyThese : messages.nothingToRelease}
        </p>
      )}
    </>
  );
}

function ReviewWarnings({ lines }: { lines: readonly BulkItemResult[] }) {
  const messages = useMessages(english);
  const counted = (is: (line: BulkItemResult) => boolean, format: (count: string) => string) => {
    const count = lines.filter(is).length;
    return count === 0 ? [] : [format(formatNumber(count))];
  };
  const texts = [
    ...counted(({ seen }) => seen?.liveness === "alive", messages.alive),
    ...counted(({ seen }) => (seen?.waiters.count ?? 0) > 0, messages.withWaiters),
    ...counted(({ seen }) => (seen?.others ?? 0) > 0, messages.shared),
    ...counted(({ seen }) => seen?.confidence !== "certain", messages.uncertainFormat),
  ];
  if (texts.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 rounded-[9px] bg-warn-bg px-3 py-2.5 text-warn">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
