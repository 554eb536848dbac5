"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import {
  type CSSProperties,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { getListScrollTop, rememberListPosition } from "@/components/app/list-return.ts";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { MAIN_PART } from "@/components/ui/main-part.ts";
import { useElementWidth } from "@/components/ui/use-element-width.ts";
import { useMediaQuery } from "@/components/ui/use-media-query.ts";
import type { LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useListCounts } from "@/lib/queries/counts.ts";
import type { ColumnId } from "../columns/columns.ts";
import { ROW_HEIGHT_PX } from "../columns/row-density.ts";
import { useColumns } from "../columns/use-columns.ts";
import type { FrozenRows } from "../frozen-rows/use-frozen-rows.ts";
import { ExpiryAnnouncement } from "./expiry-announcement.tsx";
import { CARD_PX } from "./lock-card.tsx";
import type { RowActions } from "./lock-row.tsx";
import { LockRows } from "./lock-rows.tsx";
import { SortSelect } from "./order-select.tsx";
import { createRowPacer } from "./row-pacer.ts";
import { TableFooter } from "./table-footer.tsx";
import { TableHeader } from "./table-header.tsx";
import { useRowShortcuts } from "./use-row-shortcuts.ts";

/**
 * Maximum total height of the rows in pixels. Chromium does not lay out elements taller than about 33.5 million pixels.
 */
const HEIGHT_PX_MAX = 33_000_000;
/**
 * Width, in pixels, of the column with the checkboxes. `RELEASE_PX` is the width of the column with the release
 * buttons.
 */
const SELECT_PX = 32;
const RELEASE_PX = 92;
/** Minimum width, in pixels, of the remaining time column for the longer lease bar. */
const WIDE_REMAINING_PX = 128;

/**
 * The class that reserves space for the scrollbar. The background of the table header extends over that space.
 */
const SCROLLBAR_CLASS =
  "sm:[scrollbar-gutter:stable] sm:[scrollbar-width:thin] sm:[scrollbar-color:var(--bar)_transparent] sm:bg-[linear-gradient(var(--bg)_36px,var(--line)_36px_37px,var(--panel)_37px)]";

interface LocksTableProps extends RowActions {
  list: FrozenRows;
  window: LiveWindow;
  sort: string;
  focusedPath: string | null;
  onSort(sort: string): void;
  onRows(first: number, last: number): void;
  onOpen(lock: Lock): void;
  selectedLocks: ReadonlyMap<string, Lock>;
  onSelectAll(): void;
  children?: ReactNode;
}

export function LocksTable({
  list,
  window,
  sort,
  focusedPath,
  onSort,
  onRows,
  onOpen,
  selectedLocks,
  onSelectAll,
  children,
  ...rest
}: LocksTableProps) {
  const messages = useMessages(table);
  const counts = useListCounts(window.filter);
  const scroller = useRef<HTMLElement>(null);
  const columns = useColumns(useElementWidth(scroller) - SELECT_PX - RELEASE_PX, sort);
  const layout = useMediaQuery("(width < 40rem)") ? "cards" : "rows";
  const rowPx = layout === "cards" ? CARD_PX : ROW_HEIGHT_PX[columns.density];
  const most = Math.floor(HEIGHT_PX_MAX / rowPx);
  const shown = useStableColumnIds(columns.layout.columns.map(({ id }) => id));
  const remainingPx = columns.layout.columns.find(({ id }) => id === "remaining")?.px ?? 0;
  // A container query would make the browser compute the styles of every row again during layout.
  const leaseBarPx = remainingPx >= WIDE_REMAINING_PX ? 40 : 24;
  const omitted = useStableColumnIds(columns.layout.omitted);
  const rows = useVirtualizer({
    count: Math.min(window.total, most),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 6,
    scrollPaddingStart: layout === "cards" ? 0 : 36,
    initialOffset: () => getListScrollTop(location.search),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of a different height have different positions
  useLayoutEffect(() => rows.measure(), [rows, rowPx]);
  const [pacer] = useState(createRowPacer);
  pacer.isScrolling = rows.isScrolling;
  const items = rows.getVirtualItems();
  const first = items.at(0)?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onRows(first, last), [onRows, first, last]);
  const actions = useStableActions(rest);
  useRowShortcuts({
    scroller,
    window,
    focusedPath: focusedPath,
    ends: list.ends,
    rows,
    open: onOpen,
    ...actions,
  });
  const allSelected =
    window.items.length > 0 && window.items.every((lock) => selectedLocks.has(toLockPath(lock)));
  const inHand = window.items.find((lock) => toLockPath(lock) === focusedPath);
  return (
    <>
      <section
        {...MAIN_PART}
        ref={scroller}
        onScroll={({ currentTarget }) => rememberListPosition({ top: currentTarget.scrollTop })}
        aria-label={messages.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable with the keyboard
        tabIndex={0}
        className={clsx(
          "isolate min-h-0 flex-1 overflow-x-hidden overflow-y-auto rounded-t-[10px] border border-b-0 border-line bg-panel outline-offset-[-2px]",
          SCROLLBAR_CLASS,
        )}
      >
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows can be selected, so it is a grid
          role="grid"
          aria-label={messages.title}
          aria-rowcount={window.total + 1}
          style={{ "--row-px": `${rowPx}px`, "--lease-bar-px": `${leaseBarPx}px` } as CSSProperties}
          className={clsx(
            "w-full table-fixed border-separate border-spacing-0",
            columns.density === "dense" && "[&_[data-second]]:hidden",
          )}
        >
          {layout === "rows" && (
            <>
              <colgroup>
                <col style={{ width: SELECT_PX }} />
                {columns.layout.columns.map(({ id, px }) => (
                  <col key={id} style={{ width: px }} />
                ))}
                <col />
              </colgroup>
              <TableHeader
                sort={sort}
                onSort={onSort}
                columns={columns}
                allSelected={allSelected}
                onSelectAll={onSelectAll}
              />
            </>
          )}
          <LockRows
            window={window}
            ends={list.ends}
            layout={layout}
            items={items}
            height={rows.getTotalSize()}
            columns={shown}
            omitted={omitted}
            focusedPath={focusedPath}
            selectedLocks={selectedLocks}
            actions={actions}
            pacer={pacer}
          />
        </table>
        {children}
      </section>
      {window.total > 0 && (
        <TableFooter
          list={list}
          first={rows.range?.startIndex ?? 0}
          last={rows.range?.endIndex ?? 0}
          total={counts?.total ?? window.total}
          most={most}
        >
          {layout === "cards" && <SortSelect sort={sort} onSort={onSort} />}
        </TableFooter>
      )}
      {inHand !== undefined && <ExpiryAnnouncement key={focusedPath} lock={inHand} />}
    </>
  );
}

/**
 * Returns actions that stay the same object until `releaseBlocked` changes, so unchanged rows do not render again while
 * the operator scrolls.
 */
function useStableActions({
  focusRow,
  releaseLock,
  toggleSelected,
  copy,
  releaseBlocked,
}: RowActions): RowActions {
  const latest = useRef({ focusRow, releaseLock, toggleSelected, copy });
  useEffect(() => {
    latest.current = { focusRow, releaseLock, toggleSelected, copy };
  });
  return useMemo(
    () => ({
      focusRow: (path) => latest.current.focusRow(path),
      releaseLock: (lock) => latest.current.releaseLock(lock),
      toggleSelected: (lock, extend) => latest.current.toggleSelected(lock, extend),
      copy: (lock, opener) => latest.current.copy(lock, opener),
      releaseBlocked,
    }),
    [releaseBlocked],
  );
}

/**
 * Returns the same array until its content changes, so a change of width that keeps the columns renders no row again.
 */
function useStableColumnIds(ids: readonly ColumnId[]): readonly ColumnId[] {
  const text = ids.join(",");
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the content of the list matters
  return useMemo(() => ids, [text]);
}
