"use client";

import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from "react";
import type { HistoryEntry } from "@/lib/contract/event.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { EventRow } from "./event-row.tsx";
import { useAnchoredRows } from "./use-anchored-rows.ts";

const ROW_PX = 32;
/** So many rows before the end of what is loaded more is asked for. */
const LOAD_AHEAD_ROWS = 100;
/** The places of rows that are on their way, so that one may scroll on meanwhile. */
const PLACEHOLDER_ROWS = 200;
const PLACEHOLDER_CLASS =
  "absolute inset-x-0 bg-[linear-gradient(transparent_31px,var(--line-soft)_31px),linear-gradient(transparent_12px,var(--line-soft)_12px_20px,transparent_20px),linear-gradient(transparent_12px,var(--line-soft)_12px_20px,transparent_20px)] bg-[length:100%_32px,48px_32px,42%_32px] bg-[position:0_0,16px_0,92px_0] [background-repeat:repeat-y]";

export interface EventListHandle {
  /** Shows an entry, and gives it the focus. */
  go(index: number): void;
  toTop(): void;
}

interface EventListProps {
  /** Newest first. */
  entries: readonly HistoryEntry[];
  skippedBefore: ReadonlyMap<string, number>;
  openId: string | undefined;
  onOpen(entry: HistoryEntry): void;
  onJump(at: number): void;
  /** New ones come in at the top while it is seen. */
  follows: boolean;
  /** Whether the top is seen has changed. */
  onTop(isAtTop: boolean): void;
  /** What is loaded on either side, as one comes near; undefined: nothing more, or it is on its way. */
  onOlder: (() => void) | undefined;
  onNewer: (() => void) | undefined;
  /** There are older ones, which come as one comes near. */
  isOlderComing: boolean;
  /** What is said when there are none. */
  children: ReactNode;
  /** Stands below the last one. */
  end: ReactNode;
  ref?: Ref<EventListHandle>;
}

/** The newest first. */
export function EventList({ entries, skippedBefore, openId, onOpen, onJump, ...props }: EventListProps) {
  const { list } = useMessages(eventsPage);
  const scroller = useRef<HTMLElement>(null);
  const rows = useAnchoredRows(scroller, entries, ROW_PX, props.follows);
  const { first, end, isAtTop, isGoingUp } = rows;
  const { onOlder, onNewer, onTop } = props;
  const wanted = useRef<number>(undefined);
  useEffect(() => onTop(isAtTop), [isAtTop, onTop]);
  useEffect(() => {
    if (end > entries.length - LOAD_AHEAD_ROWS) onOlder?.();
    if (isGoingUp && first < LOAD_AHEAD_ROWS) onNewer?.();
  }, [first, end, isGoingUp, entries.length, onOlder, onNewer]);
  useImperativeHandle(props.ref, () => ({
    go: (index) => {
      rows.show(index);
      wanted.current = index;
      focusRow(scroller.current, entries[index]);
    },
    toTop: rows.toTop,
  }));
  // The row may have been drawn only now.
  useEffect(() => {
    if (wanted.current === undefined) return;
    focusRow(scroller.current, entries[wanted.current]);
    wanted.current = undefined;
  });
  const height = entries.length * ROW_PX;
  const coming = props.isOlderComing && entries.length > 0 ? PLACEHOLDER_ROWS * ROW_PX : 0;
  return (
    <section
      ref={scroller}
      aria-label={list.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      tabIndex={0}
      onScroll={rows.onScroll}
      className="isolate @container min-h-0 flex-1 overflow-auto rounded-t-[10px] border border-b-0 border-line bg-panel outline-offset-[-2px] [overflow-anchor:none]"
    >
      {props.children}
      <ol className="relative" style={height > 0 ? { height: height + coming } : undefined}>
        {entries.slice(first, end).map((entry, at) => (
          <EventRow
            key={entry.id}
            entry={entry}
            top={(first + at) * ROW_PX}
            skipped={skippedBefore.get(entry.id) ?? 0}
            isOpen={entry.id === openId}
            onOpen={onOpen}
            onJump={onJump}
          />
        ))}
        {coming > 0 && (
          <li aria-hidden className={PLACEHOLDER_CLASS} style={{ top: height, height: coming }} />
        )}
      </ol>
      {props.end}
    </section>
  );
}

function focusRow(scroller: HTMLElement | null, entry: HistoryEntry | undefined): void {
  if (entry === undefined) return;
  scroller
    ?.querySelector<HTMLElement>(`[data-id="${CSS.escape(entry.id)}"] button`)
    ?.focus({ preventScroll: true });
}
