"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { KeyText } from "@/components/lock-facts/key-text.tsx";
import { formatElapsed, formatNumber, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { BulkItemResult } from "@/lib/api/bulk-release.ts";
import { bulk as english } from "@/lib/i18n/en/bulk.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { isReleased } from "./bulk-state.ts";

const LINE_PX = 45;

/** Maximum number of lines for which the list grows with its content. A list with more lines scrolls. */
const WHOLE_LINES_MAX = 4;

interface BulkLineScrollerProps {
  count: number;
  children: ReactNode;
}

/**
 * Renders the scrolling container of the lines. Because the lines scroll in this container, the buttons below it stay
 * in view.
 */
export function BulkLineScroller({ count, children }: BulkLineScrollerProps) {
  const messages = useMessages(english);
  return (
    <section
      data-lines
      aria-label={messages.list}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      tabIndex={0}
      className={clsx(
        "relative isolate overflow-y-auto rounded-[9px] border border-line outline-offset-[-2px]",
        count > WHOLE_LINES_MAX ? "min-h-52" : "shrink-0",
      )}
    >
      {children}
    </section>
  );
}

interface BulkLineListProps {
  title: string;
  lines: readonly BulkItemResult[];
  /**
   * What each line shows. `outcome`: the result, or the result that a release would have. `seen`: the holder and its
   * liveness at the time of the review.
   */
  shows: "outcome" | "seen";
}

/**
 * Lists locks of a bulk release under a title. Only the visible lines are rendered, because a bulk release can have up
 * to 1,000 locks.
 */
export function BulkLineList({ title, lines, shows }: BulkLineListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [marginPx, setMarginPx] = useState(0);
  const place = () => list.current?.closest<HTMLElement>("[data-lines]") ?? null;
  // Results that arrive make the content above the list grow, so its offset is measured after each render.
  useLayoutEffect(() => setMarginPx(list.current?.offsetTop ?? 0));
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: place,
    estimateSize: () => LINE_PX,
    getItemKey: (index) => lines[index]?.index ?? index,
    scrollMargin: marginPx,
    overscan: 8,
  });
  if (lines.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="sticky top-0 z-1 border-b border-line bg-panel px-3 py-1.5 font-semibold">{title}</h3>
      <ul ref={list} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index];
          return line === undefined ? null : (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={lines.length}
              className="absolute inset-x-0 top-0 border-b border-line-soft px-3 py-1.5"
              style={{ transform: `translateY(${start - marginPx}px)` }}
            >
              <div className="flex min-w-0 text-xs">
                <KeyText text={line.item.key} />
              </div>
              {shows === "outcome" ? <BulkOutcomeText line={line} /> : <SeenHolder line={line} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function BulkOutcomeText({ line }: { line: BulkItemResult }) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const { outcome, problem, result, now } = line;
  const [holder] = now?.holders ?? [];
  return (
    <p className={isReleased(line) ? "truncate text-2xs text-ink-3" : "text-2xs text-warn"}>
      {messages.outcomes[outcome]}
      {result?.heldMs !== undefined &&
        messages.between + messages.heldFor(formatElapsed(result.heldMs, uiMessages))}
      {holder !== undefined && (
        <span className="text-ink-2">
          {messages.colon}
          <HolderName holder={holder} wrap />
        </span>
      )}
      {problem !== undefined && outcome !== "changed" && (
        <span lang="en" translate="no" className="block text-ink-3">
          <SafeText text={problem.detail} wrap />
        </span>
      )}
    </p>
  );
}

/**
 * Returns the remaining time, in ms, at `now`. The data of a review can be several seconds old, so its age is
 * subtracted.
 */
function computeTimeLeft(remainingMs: number, asOf: number, now: number | null): number {
  return now === null ? remainingMs : remainingMs - Math.max(0, now - asOf);
}

/** Shows the holder at the time of the review, with the remaining time, the liveness and the number of waiters. */
function SeenHolder({ line: { seen } }: { line: BulkItemResult }) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const now = useServerNow();
  if (seen === undefined) return null;
  const { holders, liveness, remainingMs, waiters } = seen;
  const [holder] = holders;
  const facts = [
    remainingMs === null
      ? messages.noTtl
      : messages.left(formatRemaining(computeTimeLeft(remainingMs, seen.asOf, now), uiMessages)),
    ...(liveness === null || liveness === "no_ttl" ? [] : [messages.liveness[liveness]]),
    ...(waiters.count ? [messages.waiting(formatNumber(waiters.count))] : []),
  ];
  return (
    <p className="truncate text-2xs text-ink-2">
      {holder !== undefined && <HolderName holder={holder} />}
      {holders.length > 1 && messages.andMore(holders.length - 1)}
      <span className={liveness === "alive" ? "text-warn" : "text-ink-3"}>
        {messages.between}
        {facts.join(messages.between)}
      </span>
    </p>
  );
}
