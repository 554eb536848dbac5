"use client";

import { Popover } from "@base-ui/react/popover";
import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { RefObject } from "react";
import { Button } from "@/components/ui/button.tsx";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { moveColumn, setColumnShown } from "./column-choice.ts";
import { ALL_COLUMNS, type ColumnId } from "./columns.ts";
import { ROW_DENSITIES } from "./row-density.ts";
import type { TableColumns } from "./use-columns.ts";

interface ColumnMenuProps {
  columns: TableColumns;
  /** The button that opened the menu. The menu is positioned next to this button. */
  button: RefObject<HTMLButtonElement | null>;
  onClose(): void;
}

export function ColumnMenu({ columns, button, onClose }: ColumnMenuProps) {
  const messages = useMessages(table);
  const { chosen } = columns;
  // Lists hidden columns after the shown columns, which are in display order.
  const listed = [...chosen, ...ALL_COLUMNS.filter((id) => !chosen.includes(id))];
  return (
    <Popover.Root
      open
      onOpenChange={(open, { event }) => {
        // The button that opened the menu closes it itself.
        const isButton = event.target instanceof Node && button.current?.contains(event.target);
        if (!open && !isButton) onClose();
      }}
    >
      <Popover.Portal>
        <Popover.Positioner anchor={button} sideOffset={6} align="end" className="z-40">
          <Popover.Popup
            finalFocus={button}
            className="max-h-[80dvh] w-64 overflow-y-auto rounded-[10px] border border-line bg-panel p-3 shadow-sheet outline-none"
          >
            <div className="flex items-center justify-between pb-1">
              <Popover.Title className="text-xs font-semibold">{messages.shownColumns}</Popover.Title>
              <Button size="small" variant="quiet" onClick={columns.reset}>
                {messages.reset}
              </Button>
            </div>
            <ul>
              {listed.map((id) => (
                <ColumnRow key={id} id={id} columns={columns} />
              ))}
            </ul>
            <DensityPicker columns={columns} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ColumnRow({ id, columns }: { id: ColumnId; columns: TableColumns }) {
  const messages = useMessages(table);
  const { chosen, choose, layout } = columns;
  const name = messages.columns[id];
  const at = chosen.indexOf(id);
  const isShown = at >= 0;
  const move = (by: -1 | 1) => choose(moveColumn(chosen, id, by));
  return (
    <li className="flex h-8 items-center gap-1">
      <label className="flex min-w-0 flex-1 items-center gap-2">
        <input
          type="checkbox"
          checked={isShown}
          disabled={id === "key"}
          onChange={({ target }) => choose(setColumnShown(chosen, id, target.checked))}
          className="size-[14px] accent-accent"
        />
        <span className={clsx("truncate", !isShown && "text-ink-3")}>{name}</span>
        {layout.omitted.includes(id) && <span className="text-2xs text-ink-3">{messages.hidden}</span>}
        {!isShown && id === columns.sortedBy && (
          <span className="text-2xs text-ink-3">{messages.shownForSort}</span>
        )}
      </label>
      {isShown && (
        <>
          <MoveColumnButton label={messages.moveUp(name)} isLast={at === 0} onMove={() => move(-1)}>
            <ArrowUp aria-hidden size={13} />
          </MoveColumnButton>
          <MoveColumnButton
            label={messages.moveDown(name)}
            isLast={at === chosen.length - 1}
            onMove={() => move(1)}
          >
            <ArrowDown aria-hidden size={13} />
          </MoveColumnButton>
        </>
      )}
    </li>
  );
}

interface MoveColumnButtonProps {
  label: string;
  isLast: boolean;
  onMove(): void;
  children: React.ReactNode;
}

/**
 * Renders a button that moves a column by one position. If the column cannot move further, the button is dimmed but
 * stays focusable.
 */
function MoveColumnButton({ label, isLast, onMove, children }: MoveColumnButtonProps) {
  return (
    <Button
      size="small-icon"
      variant="quiet"
      aria-label={label}
      title={label}
      aria-disabled={isLast || undefined}
      className={isLast ? "opacity-30" : ""}
      onClick={onMove}
    >
      {children}
    </Button>
  );
}

function DensityPicker({ columns }: { columns: TableColumns }) {
  const messages = useMessages(table);
  return (
    <fieldset className="mt-2 border-t border-line pt-2.5">
      <legend className="float-left w-full pb-1.5 text-xs font-semibold">{messages.densityTitle}</legend>
      <div className="clear-both grid grid-cols-3 gap-1 rounded-[8px] bg-line-soft p-0.5">
        {ROW_DENSITIES.map((density) => (
          <label
            key={density}
            className={clsx(
              "flex h-7 cursor-pointer items-center justify-center rounded-[6px] has-focus-visible:outline-2 has-focus-visible:outline-accent",
              columns.density === density ? "bg-panel font-medium text-ink" : "text-ink-2",
            )}
          >
            <input
              type="radio"
              name="density"
              checked={columns.density === density}
              onChange={() => columns.setDensity(density)}
              className="sr-only"
            />
            {messages.densities[density]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
