"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { pathOf } from "@/components/lock/lock-facts.ts";
import type { LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { ROWS_MAX } from "./list-limits.ts";
import type { RowActions } from "./lock-row.tsx";
import { LockRows } from "./lock-rows.tsx";
import { TableHead } from "./table-head.tsx";
import { useRowKeys } from "./use-row-keys.ts";

const ROW_PX = 40;

interface LocksTableProps extends RowActions {
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
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: Math.min(window.total, ROWS_MAX),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    scrollPaddingStart: 36,
  });
  const items = rows.getVirtualItems();
  const first = items.at(0)?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onRows(first, last), [onRows, first, last]);
  const actions = useSteadyActions(rest);
  useRowKeys({ scroller, window, selected, rows, open: onOpen, ...actions });
  const allPicked = window.items.length > 0 && window.items.every((lock) => picked.has(pathOf(lock)));
  return (
    <section
      ref={scroller}
      aria-label="Locks"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      tabIndex={0}
      className="isolate @container min-h-0 flex-1 overflow-auto rounded-t-[10px] border border-b-0 border-line bg-panel outline-offset-[-2px]"
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are selected, so it is a grid
        role="grid"
        aria-label="Locks"
        aria-rowcount={window.total + 1}
        className="w-full table-fixed border-separate border-spacing-0"
      >
        <TableHead sort={sort} onSort={onSort} allPicked={allPicked} onPickAll={onPickAll} />
        <LockRows
          window={window}
          items={items}
          height={rows.getTotalSize()}
          selected={selected}
          picked={picked}
          actions={actions}
        />
      </table>
      {children}
    </section>
  );
}

/** The same functions for every render, so that scrolling does not draw rows again that did not change. */
function useSteadyActions({ select, free, pick, freeBlocked }: RowActions): RowActions {
  const latest = useRef({ select, free, pick });
  useEffect(() => {
    latest.current = { select, free, pick };
  });
  return useMemo(
    () => ({
      select: (path) => latest.current.select(path),
      free: (lock) => latest.current.free(lock),
      pick: (lock, extend) => latest.current.pick(lock, extend),
      freeBlocked,
    }),
    [freeBlocked],
  );
}
