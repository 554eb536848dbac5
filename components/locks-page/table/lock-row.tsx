"use client";

import clsx from "clsx";
import { Copy } from "lucide-react";
import { memo, type MouseEvent as RowMouseEvent, useState } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { getReleaseObstacle } from "@/components/lock-facts/release-text.ts";
import { useNeedsAttention } from "@/components/lock-facts/use-needs-attention.ts";
import { Button } from "@/components/ui/button.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockCopy } from "@/lib/i18n/en/lock-copy.ts";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { COLUMNS, type ColumnId } from "../columns/columns.ts";
import type { RowEnding } from "../frozen-rows/frozen-list.ts";
import { EndedRowText } from "./ended-row.tsx";
import { LockCell } from "./lock-cell.tsx";
import type { RowPacer, RowStage } from "./row-pacer.ts";
import { useRowStage } from "./use-row-stage.ts";

export interface RowActions {
  focusRow(path: string): void;
  releaseLock(lock: Lock): void;
  /** Toggles the selection of a row. If `extend` is `true`, selects all rows from the last toggled row to this row. */
  toggleSelected(lock: Lock, extend: boolean): void;
  /**
   * Opens the copy menu of a row.
   *
   * @param opener the button that was clicked; `undefined` if a keyboard shortcut opened the menu
   */
  copy(lock: Lock, opener?: HTMLElement): void;
  /** Why no lock can currently be released; `null` if locks can be released. */
  releaseBlocked: string | null;
}

export interface LockRowProps {
  lock: Lock;
  /**
   * How the hold of the row ended; `null` if it has not ended. A row whose hold has ended stays in the list until the
   * list is refreshed or is no longer frozen.
   */
  end: RowEnding | null;
  /** The index of the row in the whole list. */
  index: number;
  columns: readonly ColumnId[];
  /** Columns that are hidden because there is not enough room. */
  omitted: readonly ColumnId[];
  isFocused: boolean;
  isSelected: boolean;
  /** Whether the Tab key reaches this row. Only one row is a tab stop. The arrow keys move between rows. */
  tabStop: boolean;
  actions: RowActions;
  /** Schedules the rendering of the content that a row does not show immediately. */
  pacer: RowPacer;
}

const CELL_CLASS = "relative h-(--row-px) overflow-hidden border-b border-line-soft px-2 whitespace-nowrap";
/** The class that makes room for the copy button next to the key. */
const KEY_CELL_CLASS =
  "pl-1 group-hover:pr-8 group-focus-within:pr-8 group-aria-selected:pr-8 pointer-coarse:pr-8";
/** The classes of buttons that appear on hover, on keyboard focus and on touch screens. */
const ON_DEMAND_CLASS =
  "opacity-0 focus-within:opacity-100 group-hover:opacity-100 group-focus-within:opacity-100 group-aria-selected:opacity-100 pointer-coarse:opacity-100";

/** The columns that can show how the hold of a row ended. The first of these columns that is visible shows it. */
const ENDING_COLUMNS: readonly ColumnId[] = ["remaining", "attention", "held", "waiters", "count", "fence"];

/**
 * Columns that keep their values after the hold has ended, in strikethrough. The other columns become empty, because
 * their times would otherwise keep counting.
 */
const STRIKETHROUGH_COLUMNS: ReadonlySet<ColumnId> = new Set(["key", "owner", "format"]);

export const LockRow = memo(function LockRow({
  lock,
  end,
  index,
  columns,
  omitted,
  isFocused,
  isSelected,
  tabStop,
  actions,
  pacer,
}: LockRowProps) {
  const path = toLockPath(lock);
  const inner = tabStop ? 0 : -1;
  const [isPointedAt, setIsPointedAt] = useState(false);
  const stage = useRowStage(pacer, tabStop || isFocused || isPointedAt || end !== null);
  // The first visible column in this list shows how the hold ended.
  const endAt = ENDING_COLUMNS.find((id) => columns.includes(id));
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={isFocused}
      data-path={path}
      tabIndex={inner}
      onClick={() => actions.focusRow(path)}
      onPointerEnter={() => setIsPointedAt(true)}
      onFocus={() => setIsPointedAt(true)}
      className={clsx(
        "group outline-offset-[-2px]",
        isFocused || isSelected ? "bg-selected" : "bg-panel hover:bg-bg",
      )}
    >
      <td className={clsx(CELL_CLASS, "pr-0 pl-0")}>
        {(stage !== "key" || isSelected) && (
          <SelectBox lock={lock} isSelected={isSelected} tabIndex={inner} onToggle={actions.toggleSelected} />
        )}
      </td>
      {columns.map((id) => (
        <td
          key={id}
          className={clsx(
            CELL_CLASS,
            id === "key" && KEY_CELL_CLASS,
            COLUMNS.get(id)?.figure && "text-right",
            end !== null && STRIKETHROUGH_COLUMNS.has(id) && "[&_a]:line-through [&_div]:line-through",
          )}
        >
          {(stage !== "key" || id === "key") &&
            (end === null || STRIKETHROUGH_COLUMNS.has(id) ? (
              <LockCell id={id} lock={lock} tabIndex={inner} omitted={omitted} />
            ) : (
              id === endAt && <EndedRowText end={end} />
            ))}
          {id === "key" && stage === "complete" && (
            <span className={clsx("absolute inset-y-0 right-1 flex items-center", ON_DEMAND_CLASS)}>
              <CopyRowButton lock={lock} tabIndex={inner} onCopy={actions.copy} />
            </span>
          )}
        </td>
      ))}
      <td className={clsx(CELL_CLASS, "px-1.5! text-right")}>
        {end === null && stage !== "key" && (
          <RowReleaseButton lock={lock} tabIndex={inner} actions={actions} stage={stage} />
        )}
      </td>
    </tr>
  );
});

/**
 * Renders the release button. The button is always visible if a release is urgent, and otherwise appears on hover, on
 * keyboard focus and on touch screens.
 */
function RowReleaseButton({ stage, ...props }: ReleaseButtonProps & { stage: RowStage }) {
  const isUrgent = useIsReleaseUrgent(props.lock);
  if (!isUrgent && stage !== "complete") return null;
  return (
    <ReleaseButton
      {...props}
      emphasis={isUrgent ? "urgent" : "normal"}
      className={isUrgent ? "" : ON_DEMAND_CLASS}
    />
  );
}

/** Returns whether the release of a lock is urgent: the lock needs attention, and it can be force-released. */
export function useIsReleaseUrgent(lock: Lock): boolean {
  return useNeedsAttention(lock) && lock.release?.may !== "never";
}

const EMPHASIS_VARIANTS = { urgent: "danger-outline", normal: "plain", quiet: "quiet" } as const;

export interface ReleaseButtonProps {
  lock: Lock;
  tabIndex: number;
  actions: RowActions;
  emphasis?: keyof typeof EMPHASIS_VARIANTS;
  className?: string;
}

export function ReleaseButton({
  lock,
  tabIndex,
  actions,
  emphasis = "normal",
  className = "",
}: ReleaseButtonProps) {
  const messages = useMessages(table);
  const known = useMessages(lockWords);
  const open = (event: RowMouseEvent) => {
    event.stopPropagation();
    actions.releaseLock(lock);
  };
  return (
    <Button
      variant={EMPHASIS_VARIANTS[emphasis]}
      size="small"
      tabIndex={tabIndex}
      blocked={actions.releaseBlocked ?? getReleaseObstacle(lock, known)}
      onClick={open}
      aria-label={messages.release(toVisibleText(lock.key))}
      className={className}
    >
      {messages.releaseShort}
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
  const messages = useMessages(lockCopy);
  const label = messages.of(toVisibleText(lock.key));
  return (
    <Button
      variant="quiet"
      size="small-icon"
      tabIndex={tabIndex}
      aria-label={label}
      title={messages.titleHint}
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

interface SelectBoxProps {
  lock: Lock;
  isSelected: boolean;
  tabIndex: number;
  onToggle: RowActions["toggleSelected"];
}

export function SelectBox({ lock, isSelected, tabIndex, onToggle }: SelectBoxProps) {
  const messages = useMessages(table);
  return (
    <input
      type="checkbox"
      aria-label={messages.select(toVisibleText(lock.key))}
      checked={isSelected}
      tabIndex={tabIndex}
      onClick={(event) => event.stopPropagation()}
      onChange={({ nativeEvent }) =>
        onToggle(lock, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
      }
      className="mx-auto block size-[14px] accent-accent max-sm:size-[18px]"
    />
  );
}
