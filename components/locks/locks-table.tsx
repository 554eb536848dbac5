"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import type { LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { pathOf } from "./lock-facts.ts";
import { LockRow, MissingRow, type RowActions } from "./lock-row.tsx";
import { TableHead } from "./table-head.tsx";
import { useRowKeys } from "./use-row-keys.ts";

const ROW_PX = 40;
/** Chromium lays out no element higher than about 33.5 million pixels. */
export const ROWS_MAX = 800_000;

interface LocksTableProps extends RowActions {
  window: LiveWindow;
  sort: string;
  selected: string | null;
  onSort(sort: string): void;
  onRows(first: number, last: number): void;
  onOpen(lock: Lock): void;
  children?: ReactNode;
}

export function LocksTable({
  window,
  sort,
  selected,
  onSort,
  onRows,
  onOpen,
  children,
  ...actions
}: LocksTableProps) {
  const scroller = useRef<HTMLElement>(null);
  const count = Math.min(window.total, ROWS_MAX);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    scrollPaddingStart: 36,
  });
  const items = rows.getVirtualItems();
  const first = items.at(0)?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onRows(first, last), [onRows, first, last]);
  const lockAt = (index: number): Lock | undefined => window.items[index - window.offset];
  useRowKeys({ scroller, window, selected, rows, select: actions.select, open: onOpen, free: actions.free });
  const selectedHere = window.items.some((lock) => pathOf(lock) === selected);

  const enter = (event: KeyboardEvent<HTMLTableElement>) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLTableRowElement)) return;
    const lock = window.items.find((one) => pathOf(one) === (event.target as HTMLElement).dataset.path);
    if (lock !== undefined) onOpen(lock);
  };

  return (
    <section
      ref={scroller}
      aria-label="Locks"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      tabIndex={0}
      className="@container min-h-0 flex-1 overflow-auto rounded-t-[10px] border border-b-0 border-line bg-panel outline-offset-[-2px]"
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are selected, so it is a grid
        role="grid"
        aria-label="Locks"
        aria-rowcount={window.total + 1}
        className="w-full table-fixed border-separate border-spacing-0"
        onKeyDown={enter}
      >
        <TableHead sort={sort} onSort={onSort} />
        <tbody>
          <Spacer px={items.at(0)?.start ?? 0} />
          {items.map(({ index }) => {
            const lock = lockAt(index);
            if (lock === undefined) return <MissingRow key={`missing ${index}`} index={index} />;
            const path = pathOf(lock);
            const isSelected = path === selected;
            return (
              <LockRow
                key={path}
                lock={lock}
                index={index}
                selected={isSelected}
                tabStop={selectedHere ? isSelected : index === first}
                {...actions}
              />
            );
          })}
          <Spacer px={rows.getTotalSize() - (items.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
      {children}
    </section>
  );
}

/** Stands for the rows that are not drawn. */
function Spacer({ px }: { px: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={7} className="p-0" style={{ height: px }} />
    </tr>
  );
}
