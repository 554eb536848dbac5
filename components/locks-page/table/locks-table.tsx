"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { keepListPlace, listTop } from "@/components/app/list-return.ts";
import { pathOf } from "@/components/lock-facts/lock-path.ts";
import { useWidth } from "@/components/ui/use-element-width.ts";
import { useMedia } from "@/components/ui/use-media-query.ts";
import type { LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { table } from "@/lib/i18n/en/table.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import type { ColumnId } from "../columns/columns.ts";
import { ROW_PX } from "../columns/row-density.ts";
import { useColumns } from "../columns/use-columns.ts";
import type { Pausable } from "../frozen-rows/use-frozen-rows.ts";
import { NearEnd } from "./expiry-announcement.tsx";
import { CARD_PX } from "./lock-card.tsx";
import type { RowActions } from "./lock-row.tsx";
import { LockRows } from "./lock-rows.tsx";
import { OrderSelect } from "./order-select.tsx";
import { TableFoot } from "./table-footer.tsx";
import { TableHead } from "./table-header.tsx";
import { useRowKeys } from "./use-row-shortcuts.ts";

/** Chromium lays out no element higher than about 33.5 million pixels. */
const HEIGHT_PX_MAX = 33_000_000;
/** Of the box to tick and of the buttons at the end. */
const PICK_PX = 36;
const ACTIONS_PX = 96;

interface LocksTableProps extends RowActions {
  list: Pausable;
  window: LiveWindow;
  sort: string;
  selected: string | null;
  onSort(sort: string): void;
  onRows(first: number, last: number): void;
  onOpen(lock: Lock): void;
  picked: ReadonlyMap<string, Lock>;
  onPickAll(): void;
  children?: ReactNode;
}

export function LocksTable({
  list,
  window,
  sort,
  selected,
  onSort,
  onRows,
  onOpen,
  picked,
  onPickAll,
  children,
  ...rest
}: LocksTableProps) {
  const words = useWords(table);
  const scroller = useRef<HTMLElement>(null);
  const columns = useColumns(useWidth(scroller) - PICK_PX - ACTIONS_PX);
  const look = useMedia("(width < 40rem)") ? "cards" : "rows";
  const rowPx = look === "cards" ? CARD_PX : ROW_PX[columns.density];
  const most = Math.floor(HEIGHT_PX_MAX / rowPx);
  const shown = useSteadyIds(columns.layout.columns.map(({ id }) => id));
  const noRoom = useSteadyIds(columns.layout.noRoom);
  const rows = useVirtualizer({
    count: Math.min(window.total, most),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 6,
    scrollPaddingStart: look === "cards" ? 0 : 36,
    initialOffset: () => listTop(location.search),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height stand elsewhere
  useLayoutEffect(() => rows.measure(), [rows, rowPx]);
  const items = rows.getVirtualItems();
  const first = items.at(0)?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onRows(first, last), [onRows, first, last]);
  const actions = useSteadyActions(rest);
  useRowKeys({ scroller, window, selected, ends: list.ends, rows, open: onOpen, ...actions });
  const allPicked = window.items.length > 0 && window.items.every((lock) => picked.has(pathOf(lock)));
  const inHand = window.items.find((lock) => pathOf(lock) === selected);
  return (
    <>
      <section
        ref={scroller}
        onScroll={({ currentTarget }) => keepListPlace({ top: currentTarget.scrollTop })}
        aria-label={words.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        className="isolate min-h-0 flex-1 overflow-x-hidden overflow-y-auto sm:[scrollbar-gutter:stable] rounded-t-[10px] border border-b-0 border-line bg-panel outline-offset-[-2px]"
      >
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are selected, so it is a grid
          role="grid"
          aria-label={words.title}
          aria-rowcount={window.total + 1}
          style={{ "--row-px": `${rowPx}px` } as CSSProperties}
          className={clsx(
            "w-full table-fixed border-separate border-spacing-0",
            columns.density === "dense" && "[&_[data-second]]:hidden",
          )}
        >
          {look === "rows" && (
            <>
              <colgroup>
                <col style={{ width: PICK_PX }} />
                {columns.layout.columns.map(({ id, px }) => (
                  <col key={id} style={{ width: px }} />
                ))}
                <col />
              </colgroup>
              <TableHead
                sort={sort}
                onSort={onSort}
                columns={columns}
                allPicked={allPicked}
                onPickAll={onPickAll}
              />
            </>
          )}
          <LockRows
            window={window}
            ends={list.ends}
            look={look}
            items={items}
            height={rows.getTotalSize()}
            columns={shown}
            noRoom={noRoom}
            selected={selected}
            picked={picked}
            actions={actions}
          />
        </table>
        {children}
      </section>
      {window.total > 0 && (
        <TableFoot
          list={list}
          first={rows.range?.startIndex ?? 0}
          last={rows.range?.endIndex ?? 0}
          total={window.total}
          most={most}
        >
          {look === "cards" && <OrderSelect sort={sort} onSort={onSort} />}
        </TableFoot>
      )}
      {inHand !== undefined && <NearEnd key={selected} lock={inHand} />}
    </>
  );
}

/** The same functions for every render, so that scrolling does not draw rows again that did not change. */
function useSteadyActions({ select, free, pick, copy, freeBlocked }: RowActions): RowActions {
  const latest = useRef({ select, free, pick, copy });
  useEffect(() => {
    latest.current = { select, free, pick, copy };
  });
  return useMemo(
    () => ({
      select: (path) => latest.current.select(path),
      free: (lock) => latest.current.free(lock),
      pick: (lock, extend) => latest.current.pick(lock, extend),
      copy: (lock, opener) => latest.current.copy(lock, opener),
      freeBlocked,
    }),
    [freeBlocked],
  );
}

/** The same list for as long as it says the same: a width that changes draws no row again. */
function useSteadyIds(ids: readonly ColumnId[]): readonly ColumnId[] {
  const text = ids.join(",");
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it says is all that counts
  return useMemo(() => ids, [text]);
}
