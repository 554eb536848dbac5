"use client";

import clsx from "clsx";
import { memo } from "react";
import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { LivenessLabel } from "@/components/lock-facts/liveness-text.tsx";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { HeldFor, RemainingTime } from "@/components/lock-facts/lock-times.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { EndedRowText } from "./ended-row.tsx";
import { KeyLink } from "./lock-cell.tsx";
import { CopyRowButton, type LockRowProps, ReleaseButton, SelectBox } from "./lock-row.tsx";

export const CARD_PX = 96;

/** A lock where there is no room for columns: key, holder and liveness, time. What is done to it is a thumb wide. */
export const LockCard = memo(function LockCard({
  lock,
  end,
  index,
  isFocused,
  isSelected,
  tabStop,
  actions,
}: LockRowProps) {
  const path = toLockPath(lock);
  const inner = tabStop ? 0 : -1;
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={isFocused}
      data-path={path}
      tabIndex={inner}
      onClick={() => actions.focusRow(path)}
      className={clsx("outline-offset-[-2px]", isFocused || isSelected ? "bg-selected" : "bg-panel")}
    >
      <td className="h-(--row-px) overflow-hidden border-b border-line-soft p-0">
        <div className="flex items-center">
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the box has the keys */}
          {/* biome-ignore lint/a11y/noLabelWithoutControl: the box is in it */}
          <label
            className="grid size-11 shrink-0 place-items-center"
            onClick={(event) => event.stopPropagation()}
          >
            <SelectBox
              lock={lock}
              isSelected={isSelected}
              tabIndex={inner}
              onToggle={actions.toggleSelected}
            />
          </label>
          <div className={clsx("min-w-0 flex-1", end !== null && "line-through decoration-ink-3")}>
            <KeyLink lock={lock} tabIndex={inner} />
            <HolderLine lock={lock} />
            <TimeLine lock={lock} end={end} />
          </div>
          <div className="mr-2 ml-1 flex flex-col items-center">
            <CopyRowButton lock={lock} tabIndex={inner} onCopy={actions.copy} className="max-sm:size-11" />
            {end === null && (
              <ReleaseButton
                lock={lock}
                tabIndex={inner}
                actions={actions}
                className="max-sm:h-11 max-sm:px-3"
              />
            )}
          </div>
        </div>
      </td>
    </tr>
  );
});

function HolderLine({ lock }: { lock: Lock }) {
  const messages = useMessages(table);
  const [holder, second] = lock.holders;
  return (
    <div className="flex items-baseline gap-2 text-ink-2">
      <span className="min-w-0 truncate">
        {holder === undefined ? messages.isFree : <HolderName holder={holder} />}
        {second !== undefined && messages.andMore(lock.holders.length - 1)}
      </span>
      <span className="shrink-0">
        <LivenessLabel lock={lock} />
      </span>
    </div>
  );
}

function TimeLine({ lock, end }: { lock: Lock; end: LockRowProps["end"] }) {
  const messages = useMessages(table);
  if (end !== null) {
    return (
      <div className="inline-block">
        <EndedRowText end={end} />
      </div>
    );
  }
  return (
    <div className="truncate text-xs">
      <span className="font-medium text-ink">
        <RemainingTime lock={lock} />
      </span>
      <span className="text-ink-3">{messages.heldSince(<HeldFor holder={lock.holders[0]} />)}</span>
    </div>
  );
}
