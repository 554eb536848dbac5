"use client";

import clsx from "clsx";
import { memo, type MouseEvent as RowMouseEvent } from "react";
import { formatsText, formatText } from "@/components/lock/format-facts.ts";
import { HolderCell, HolderName } from "@/components/lock/holder-text.tsx";
import { KeyText } from "@/components/lock/key-text.tsx";
import { hrefOf, neverFreed, pathOf } from "@/components/lock/lock-facts.ts";
import { Fence, LeaseBar, Remaining } from "@/components/lock/lock-times.tsx";
import { VerdictWord } from "@/components/lock/verdict-text.tsx";
import { WaitersFigure } from "@/components/lock/waiters-text.tsx";
import { TargetLink } from "@/components/shell/target-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/duration.ts";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { ACTION_CLASS, COLUMNS, classOf, PICK_CLASS } from "./columns.ts";
import { HeldCell } from "./held-cell.tsx";
import { VerdictCell } from "./verdict-cell.tsx";

export interface RowActions {
  select(path: string): void;
  free(lock: Lock): void;
  /** Ticks it, or unticks it; with `extend` all from the one that was ticked last. */
  pick(lock: Lock, extend: boolean): void;
  /** Why nothing can be freed now. */
  freeBlocked: string | null;
}

interface LockRowProps {
  lock: Lock;
  /** Place in the whole list, from 0. */
  index: number;
  selected: boolean;
  picked: boolean;
  /** Tab stops here; the other rows are reached with the arrows. */
  tabStop: boolean;
  actions: RowActions;
}

const CELL = "h-10 overflow-hidden border-b border-line-soft px-2.5 whitespace-nowrap";

export const LockRow = memo(function LockRow({
  lock,
  index,
  selected,
  picked,
  tabStop,
  actions,
}: LockRowProps) {
  const path = pathOf(lock);
  const [holder] = lock.holders;
  const inner = tabStop ? 0 : -1;
  const openFree = (event: RowMouseEvent) => {
    event.stopPropagation();
    actions.free(lock);
  };
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
      <td className={clsx(CELL, PICK_CLASS)}>
        <PickBox lock={lock} picked={picked} tabIndex={inner} onPick={actions.pick} />
      </td>
      <td className={clsx(CELL, classOf("key"))}>
        <TargetLink
          href={hrefOf(lock)}
          prefetch={false}
          tabIndex={inner}
          // Selecting the row as well would write its address over the one that is opened.
          onClick={(event) => event.stopPropagation()}
          className="inline-flex max-w-full min-w-0 py-1 align-middle decoration-ink-3 hover:underline"
        >
          <KeyText text={lock.key} />
        </TargetLink>
        <div className="-mt-1 truncate text-2xs text-ink-3 @2xl:hidden">
          {holder === undefined ? "free" : <HolderName holder={holder} />}
        </div>
      </td>
      <td className={clsx(CELL, classOf("owner"))}>
        <HolderCell holders={lock.holders} />
      </td>
      <td className={clsx(CELL, "text-ink-2", classOf("format"))}>
        <div className="truncate leading-[1.25]" title={formatsText(lock)}>
          {formatText(lock)}
          {lock.kind !== null && lock.kind !== "lock" && (
            <div className="truncate text-2xs text-ink-3">{lock.kind}</div>
          )}
        </div>
      </td>
      <td className={clsx(CELL, "text-right", classOf("count"))}>
        {formatNumber(lock.holders.reduce((sum, { count }) => sum + count, 0))}
      </td>
      <td className={clsx(CELL, "text-right", classOf("remaining"))}>
        <span className="flex items-center justify-end gap-2">
          <LeaseBar lock={lock} className="w-12 @max-5xl:hidden" />
          <span className="min-w-[66px] leading-[1.25]">
            <span className="block">
              <Remaining lock={lock} />
            </span>
            <span className="hidden @max-3xl:inline">
              <VerdictWord lock={lock} />
            </span>
          </span>
        </span>
      </td>
      <td className={clsx(CELL, "text-right", classOf("held"))}>
        <HeldCell lock={lock} />
      </td>
      <td className={clsx(CELL, classOf("abnormality"))}>
        <VerdictCell lock={lock} />
      </td>
      <td className={clsx(CELL, "text-right", classOf("waiters"))}>
        <WaitersFigure waiters={lock.waiters} />
      </td>
      <td className={clsx(CELL, "text-right", classOf("fence"))}>
        <Fence holder={holder} />
      </td>
      <td className={clsx(CELL, "text-right", ACTION_CLASS)}>
        <Button
          size="small"
          tabIndex={inner}
          blocked={actions.freeBlocked ?? neverFreed(lock)}
          onClick={openFree}
          aria-label={`Free ${visibleText(lock.key)}`}
          className={clsx(
            "focus-visible:opacity-100 group-hover:opacity-100 group-focus-within:opacity-100 pointer-coarse:opacity-100",
            !selected && "opacity-0",
          )}
        >
          Free…
        </Button>
      </td>
    </tr>
  );
});

interface PickBoxProps {
  lock: Lock;
  picked: boolean;
  tabIndex: number;
  onPick: RowActions["pick"];
}

function PickBox({ lock, picked, tabIndex, onPick }: PickBoxProps) {
  return (
    <input
      type="checkbox"
      aria-label={`Tick ${visibleText(lock.key)}`}
      checked={picked}
      tabIndex={tabIndex}
      onClick={(event) => event.stopPropagation()}
      onChange={({ nativeEvent }) => onPick(lock, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
      className="mx-auto block size-[14px] accent-accent"
    />
  );
}

export function MissingRow({ index }: { index: number }) {
  return (
    <tr aria-rowindex={index + 2} className="bg-panel">
      <td colSpan={COLUMNS.length + 2} className="h-10 border-b border-line-soft px-4">
        <span className="block h-2 w-40 rounded-full bg-line-soft" />
      </td>
    </tr>
  );
}
