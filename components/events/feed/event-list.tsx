"use client";

import clsx from "clsx";
import {
  type CSSProperties,
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
} from "react";
import { MAIN_PART } from "@/components/ui/main-part.ts";
import { useElementWidth } from "@/components/ui/use-element-width.ts";
import { useIsReading } from "@/components/ui/use-is-reading.ts";
import type { HistoryEntry } from "@/lib/contract/event.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { EventRow } from "./event-row.tsx";
import { COLUMN_CLASSES, chooseFeedLayout, ROW_PX, type RowPlace } from "./feed-layout.ts";
import type { FeedLine } from "./feed-lines.ts";
import { NewEventsButton } from "./new-events-button.tsx";
import { RenewalsRow } from "./renewals-row.tsx";
import { useAnchoredRows } from "./use-anchored-rows.ts";

/** Distance, in rows, from either end of the loaded rows at which scrolling requests more events. */
const LOAD_AHEAD_ROWS = 100;
/** Number of placeholder rows to show while older events load, so that the user can keep scrolling. */
const PLACEHOLDER_ROWS = 200;
const PLACEHOLDER_CLASS =
  "absolute inset-x-0 bg-[linear-gradient(transparent_calc(var(--row)-1px),var(--line-soft)_calc(var(--row)-1px)),linear-gradient(transparent_12px,var(--line-soft)_12px_20px,transparent_20px),linear-gradient(transparent_12px,var(--line-soft)_12px_20px,transparent_20px)] bg-[length:100%_var(--row),48px_var(--row),42%_var(--row)] bg-[position:0_0,16px_0,92px_0] [background-repeat:repeat-y]";
/**
 * The class that reserves the width of the scroll bar in the header row, which keeps the headers aligned with the
 * columns.
 */
const GUTTER_CLASS = "[scrollbar-gutter:stable]";

export interface EventListHandle {
  /** Scrolls the line at `index` into view and focuses it. */
  go(index: number): void;
  toTop(): void;
}

interface EventListProps {
  /** Newest first. */
  lines: readonly FeedLine[];
  skippedBefore: ReadonlyMap<string, number>;
  openId: string | undefined;
  onOpen(entry: HistoryEntry): void;
  expanded: ReadonlySet<string>;
  onToggleGroup(id: string): void;
  onJump(at: number): void;
  /**
   * Whether a list that is scrolled to the top shows new events as they arrive. If `false`, the visible rows keep their
   * positions.
   */
  follows: boolean;
  /** Called when the first row becomes visible or hidden. */
  onTop(isAtTop: boolean): void;
  /** Called when the pointer or the keyboard focus enters (`true`) or leaves (`false`) the rows. */
  onReading: ((isReading: boolean) => void) | undefined;
  /** The number of events that have arrived but are not shown. */
  waiting: number;
  onShowWaiting(): void;
  /** Loads older events; `undefined` if there are no older events or while they load. */
  onOlder: (() => void) | undefined;
  /** Loads newer events; `undefined` if there are no newer events or while they load. */
  onNewer: (() => void) | undefined;
  /** Whether older events are loading or can be loaded. If so, placeholders follow the last row. */
  isOlderComing: boolean;
  /** Shown if the list is empty. */
  children: ReactNode;
  /** Shown below the last row. */
  end: ReactNode;
  ref?: Ref<EventListHandle>;
}

/** The element id of the list. `NewEventsButton` refers to this id. */
const LIST_ID = "event-list";
/**
 * The position of the button for new events: next to the headers (`wide`) or over the rows (`narrow`). The button takes
 * no space from the rows.
 */
const NEW_EVENTS_CLASSES = {
  wide: "absolute top-1 right-4 z-10",
  narrow: "absolute bottom-4 left-1/2 z-10 -translate-x-1/2 shadow-sheet max-sm:h-11 max-sm:px-4",
};

export function EventList({ lines, onReading, onTop, onOlder, onNewer, ...props }: EventListProps) {
  const { list } = useMessages(eventsPage);
  const scroller = useRef<HTMLElement>(null);
  const layout = chooseFeedLayout(useElementWidth(scroller));
  const rowPx = ROW_PX[layout];
  const rows = useAnchoredRows(scroller, lines, rowPx, props.follows);
  const { first, end, isAtTop, isGoingUp } = rows;
  const isReading = useIsReading(scroller);
  useEffect(() => onReading?.(isReading), [isReading, onReading]);
  useEffect(() => onTop(isAtTop), [isAtTop, onTop]);
  useEffect(() => {
    if (end > lines.length - LOAD_AHEAD_ROWS) onOlder?.();
    if (isGoingUp && first < LOAD_AHEAD_ROWS) onNewer?.();
  }, [first, end, isGoingUp, lines.length, onOlder, onNewer]);
  useFocusOfRows(props.ref, scroller, lines, rows);
  const height = lines.length * rowPx;
  const coming = props.isOlderComing && lines.length > 0 ? PLACEHOLDER_ROWS * rowPx : 0;
  return (
    <div className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden rounded-t-[10px] border border-b-0 border-line bg-panel">
      {layout === "wide" && <EventHeads />}
      <NewEventsButton
        listId={LIST_ID}
        count={props.waiting}
        onShow={props.onShowWaiting}
        className={NEW_EVENTS_CLASSES[layout]}
      />
      <section
        {...MAIN_PART}
        ref={scroller}
        id={LIST_ID}
        aria-label={list.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable with the keyboard
        tabIndex={0}
        onScroll={rows.onScroll}
        className={clsx(
          "isolate min-h-0 flex-1 overflow-auto outline-offset-[-2px] [overflow-anchor:none]",
          layout === "wide" && GUTTER_CLASS,
        )}
      >
        {props.children}
        <ol className="relative" style={height > 0 ? { height: height + coming } : undefined}>
          {lines.slice(first, end).map((line, at) => (
            <FeedRow key={line.id} {...props} line={line} place={{ layout, top: (first + at) * rowPx }} />
          ))}
          {coming > 0 && (
            <li
              aria-hidden
              className={PLACEHOLDER_CLASS}
              style={{ top: height, height: coming, "--row": `${rowPx}px` } as CSSProperties}
            />
          )}
        </ol>
        {props.end}
      </section>
    </div>
  );
}

/** Shows the column headers. Screen readers skip the headers, because each row labels its own cells. */
function EventHeads() {
  const { heads } = useMessages(eventsPage).list;
  return (
    <div
      aria-hidden
      className={clsx(
        COLUMN_CLASSES.wide,
        GUTTER_CLASS,
        "h-8 shrink-0 items-center overflow-hidden border-b border-line bg-bg px-4 font-medium text-ink-3",
      )}
    >
      {Object.entries(heads).map(([name, head]) => (
        <span key={name}>{head}</span>
      ))}
    </div>
  );
}

type FeedRowProps = Pick<
  EventListProps,
  "skippedBefore" | "openId" | "onOpen" | "expanded" | "onToggleGroup" | "onJump"
> & { line: FeedLine; place: RowPlace };

function FeedRow({ line, place, ...props }: FeedRowProps) {
  if ("renewals" in line) {
    return (
      <RenewalsRow
        id={line.id}
        renewals={line.renewals}
        place={place}
        isExpanded={props.expanded.has(line.id)}
        onToggle={props.onToggleGroup}
      />
    );
  }
  return (
    <EventRow
      entry={line.entry}
      place={place}
      skipped={props.skippedBefore.get(line.id) ?? 0}
      isOpen={line.id === props.openId}
      onOpen={props.onOpen}
      onJump={props.onJump}
    />
  );
}

/** Assigns `ref` a handle through which the parent component focuses rows, including rows that are not rendered yet. */
function useFocusOfRows(
  ref: Ref<EventListHandle> | undefined,
  scroller: RefObject<HTMLElement | null>,
  lines: readonly FeedLine[],
  rows: ReturnType<typeof useAnchoredRows>,
): void {
  const wanted = useRef<number>(undefined);
  useImperativeHandle(ref, () => ({
    go: (index) => {
      rows.show(index);
      wanted.current = index;
      focusRow(scroller.current, lines[index]);
    },
    toTop: rows.toTop,
  }));
  useEffect(() => {
    if (wanted.current === undefined) return;
    focusRow(scroller.current, lines[wanted.current]);
    wanted.current = undefined;
  });
}

function focusRow(scroller: HTMLElement | null, line: FeedLine | undefined): void {
  if (line === undefined) return;
  scroller
    ?.querySelector<HTMLElement>(`[data-id="${CSS.escape(line.id)}"] button`)
    ?.focus({ preventScroll: true });
}
