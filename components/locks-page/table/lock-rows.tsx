"use client";

import type { VirtualItem } from "@tanstack/react-virtual";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { ColumnId } from "../columns/columns.ts";
import type { RowEnding } from "../frozen-rows/frozen-list.ts";
import { LockCard } from "./lock-card.tsx";
import { LockRow, type RowActions } from "./lock-row.tsx";
import type { RowPacer } from "./row-pacer.ts";

interface LockRowsProps {
  window: LiveWindow;
  /** How the holds of rows ended, by lock path. Contains only rows whose hold has ended. */
  ends: ReadonlyMap<string, RowEnding>;
  layout: "rows" | "cards";
  /** The rows to render. Rows far outside the visible area are not rendered. */
  items: readonly VirtualItem[];
  /** Total height of all rows in pixels. */
  height: number;
  columns: readonly ColumnId[];
  omitted: readonly ColumnId[];
  focusedPath: string | null;
  selectedLocks: ReadonlyMap<string, Lock>;
  actions: RowActions;
  pacer: RowPacer;
}

export function LockRows({
  window,
  items,
  height,
  focusedPath,
  selectedLocks,
  ends,
  layout,
  ...rest
}: LockRowsProps) {
  const { columns } = rest;
  const selectedHere = window.items.some((lock) => toLockPath(lock) === focusedPath);
  const Row = layout === "cards" ? LockCard : LockRow;
  const first = items.at(0);
  return (
    <tbody>
      <Spacer px={first?.start ?? 0} />
      {items.map(({ index }) => {
        const lock = window.items[index - window.offset];
        if (lock === undefined)
          return <MissingRow key={`missing ${index}`} index={index} columns={columns} />;
        const path = toLockPath(lock);
        const isSelected = path === focusedPath;
        return (
          <Row
            key={path}
            lock={lock}
            end={ends.get(path) ?? null}
            index={index}
            isFocused={isSelected}
            isSelected={selectedLocks.has(path)}
            tabStop={selectedHere ? isSelected : index === first?.index}
            {...rest}
          />
        );
      })}
      <Spacer px={height - (items.at(-1)?.end ?? 0)} />
    </tbody>
  );
}

/** Reserves the space of a row that has not been loaded yet. */
function MissingRow({ index, columns }: { index: number; columns: readonly ColumnId[] }) {
  return (
    <tr aria-rowindex={index + 2} className="bg-panel">
      <td className="h-(--row-px) border-b border-line-soft" />
      {columns.map((id) => (
        <td key={id} className="border-b border-line-soft px-2">
          <span className="block h-2 max-w-40 rounded-full bg-line-soft" />
        </td>
      ))}
      <td className="border-b border-line-soft" />
    </tr>
  );
}

/** Fills the space above or below the rendered rows. */
function Spacer({ px }: { px: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden>
      <td className="p-0" style={{ height: px }} />
    </tr>
  );
}
