"use client";

import clsx from "clsx";
import { Copy } from "lucide-react";
import { memo, type MouseEvent as RowMouseEvent } from "react";
import { pathOf } from "@/components/lock-facts/lock-path.ts";
import { neverFreed } from "@/components/lock-facts/release-text.ts";
import { Button } from "@/components/ui/button.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockCopy } from "@/lib/i18n/en/lock-copy.ts";
import { table } from "@/lib/i18n/en/table.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { COLUMNS, type ColumnId } from "../columns/columns.ts";
import type { RowEnd } from "../frozen-rows/frozen-list.ts";
import { RowEndText } from "./ended-row.tsx";
import { LockCell } from "./lock-cell.tsx";

export interface RowActions {
  select(path: string): void;
  free(lock: Lock): void;
  /** Ticks it, or unticks it; with `extend` all from the one that was ticked last. */
  pick(lock: Lock, extend: boolean): void;
  /** Offers it in one form or another. @param opener the button; without it, by a key */
  copy(lock: Lock, opener?: HTMLElement): void;
  /** Why nothing can be freed now. */
  freeBlocked: string | null;
}

export interface LockRowProps {
  lock: Lock;
  /** It has ended, and stays until the list is taken anew. */
  end: RowEnd | null;
  /** Place in the whole list, from 0. */
  index: number;
  columns: readonly ColumnId[];
  /** Chosen, without room for them. */
  noRoom: readonly ColumnId[];
  selected: boolean;
  picked: boolean;
  /** Tab stops here; the other rows are reached with the arrows. */
  tabStop: boolean;
  actions: RowActions;
}

const CELL = "h-(--row-px) overflow-hidden border-b border-line-soft px-3 whitespace-nowrap";

/** Where it is told how a row ended: in the first of these that is shown. */
const END_AT: readonly ColumnId[] = ["remaining", "abnormality", "held", "waiters", "count", "fence"];

/** What is still true of a row that has ended: which lock it was, and whose. All else would go on counting. */
const STRUCK: ReadonlySet<ColumnId> = new Set(["key", "owner", "format"]);

export const LockRow = memo(function LockRow({
  lock,
  end,
  index,
  columns,
  noRoom,
  selected,
  picked,
  tabStop,
  actions,
}: LockRowProps) {
  const path = pathOf(lock);
  const inner = tabStop ? 0 : -1;
  // Instead of what was left to it.
  const endAt = END_AT.find((id) => columns.includes(id));
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-path={path}
      tabIndex={inner}
      onClick={() => actions.select(path)}
      className={clsx(
        "group outline-offset-[-2px]",
        selected || picked ? "bg-selected" : "bg-panel hover:bg-bg",
      )}
    >
      <td className={clsx(CELL, "pr-0 pl-0")}>
        <PickBox lock={lock} picked={picked} tabIndex={inner} onPick={actions.pick} />
      </td>
      {columns.map((id) => (
        <td
          key={id}
          className={clsx(
            CELL,
            id === "key" && "pl-1",
            COLUMNS.get(id)?.figure && "text-right",
            end !== null && STRUCK.has(id) && "[&_a]:line-through [&_div]:line-through",
          )}
        >
          {end === null || STRUCK.has(id) ? (
            <LockCell id={id} lock={lock} tabIndex={inner} noRoom={noRoom} />
          ) : (
            id === endAt && <RowEndText end={end} />
          )}
        </td>
      ))}
      <td className={clsx(CELL, "px-0 pr-2.5 text-right")}>
        <span
          className={clsx(
            "inline-flex gap-0.5 focus-within:opacity-100 group-hover:opacity-100 group-focus-within:opacity-100 pointer-coarse:opacity-100",
            !selected && "opacity-0",
          )}
        >
          <CopyRowButton lock={lock} tabIndex={inner} onCopy={actions.copy} />
          {end === null && <FreeButton lock={lock} tabIndex={inner} actions={actions} />}
        </span>
      </td>
    </tr>
  );
});

interface FreeButtonProps {
  lock: Lock;
  tabIndex: number;
  actions: RowActions;
  className?: string;
}

export function FreeButton({ lock, tabIndex, actions, className = "" }: FreeButtonProps) {
  const words = useWords(table);
  const known = useWords(lockWords);
  const open = (event: RowMouseEvent) => {
    event.stopPropagation();
    actions.free(lock);
  };
  return (
    <Button
      size="small"
      tabIndex={tabIndex}
      blocked={actions.freeBlocked ?? neverFreed(lock, known)}
      onClick={open}
      aria-label={words.free(visibleText(lock.key))}
      className={className}
    >
      {words.freeShort}
    </Button>
  );
}

interface CopyRowButtonProps {
  lock: Lock;
  tabIndex: number;
  onCopy: RowActions["copy"];
  className?: string;
}

export function CopyRowButton({ lock, tabIndex, onCopy, className = "" }: CopyRowButtonProps) {
  const words = useWords(lockCopy);
  const label = words.of(visibleText(lock.key));
  return (
    <Button
      look="quiet"
      size="small-icon"
      tabIndex={tabIndex}
      aria-label={label}
      title={words.titleHint}
      aria-haspopup="menu"
      className={className}
      onClick={(event) => {
        event.stopPropagation();
        onCopy(lock, event.currentTarget);
      }}
    >
      <Copy aria-hidden size={13} />
    </Button>
  );
}

interface PickBoxProps {
  lock: Lock;
  picked: boolean;
  tabIndex: number;
  onPick: RowActions["pick"];
}

export function PickBox({ lock, picked, tabIndex, onPick }: PickBoxProps) {
  const words = useWords(table);
  return (
    <input
      type="checkbox"
      aria-label={words.tick(visibleText(lock.key))}
      checked={picked}
      tabIndex={tabIndex}
      onClick={(event) => event.stopPropagation()}
      onChange={({ nativeEvent }) => onPick(lock, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
      className="mx-auto block size-[14px] accent-accent max-sm:size-[18px]"
    />
  );
}
