"use client";

import { type Ref, useEffect, useImperativeHandle, useState } from "react";
import { Kbd } from "@/components/ui/kbd.tsx";
import { palette } from "@/lib/i18n/en/palette.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { PaletteCommand } from "../app/command-registry.tsx";
import { usePaletteSections } from "./use-palette-sections.ts";

const DEBOUNCE_MS = 120;

export interface PaletteListHandle {
  /** Moves the active entry by `step` rows. Wraps around at the ends of the list. */
  moveActive(step: number): void;
}

interface PaletteListProps {
  ref: Ref<PaletteListHandle>;
  id: string;
  typed: string;
  /** Whether Enter was pressed and no entry has run yet. The active entry runs when the entries match `typed`. */
  isEnterPending: boolean;
  onEnterHandled(): void;
  /** Called with the element id of the active entry; `undefined` if there are no entries. */
  onActive(option: string | undefined): void;
  onClose(): void;
  onHelp(): void;
}

/** Lists the palette entries that match the typed text. */
export function PaletteList({ ref, id, typed, isEnterPending, ...actions }: PaletteListProps) {
  const messages = useMessages(palette);
  const { onEnterHandled, onActive, onClose, onHelp } = actions;
  const debounced = useDebounced(typed);
  const { sections, isSettled } = usePaletteSections(typed, isEnterPending ? typed : debounced, onHelp);
  const commands = sections.flatMap((section) => section.commands);
  // A change of the text resets the chosen entry, so Enter runs the best match.
  const [chosen, setChosen] = useState<{ id: string; typed: string } | null>(null);
  const chosenIndex =
    chosen?.typed === typed ? commands.findIndex((command) => command.id === chosen.id) : -1;
  const active = commands[Math.max(0, chosenIndex)];
  const activeOption = active === undefined ? undefined : toOptionId(id, active);
  const run = (command: PaletteCommand) => {
    onClose();
    command.run();
  };
  useImperativeHandle(ref, () => ({
    moveActive(step) {
      const { length } = commands;
      const next = commands[(Math.max(0, chosenIndex) + step + length) % length];
      if (next !== undefined) setChosen({ id: next.id, typed });
    },
  }));
  useEffect(() => onActive(activeOption), [onActive, activeOption]);
  useEffect(() => {
    if (activeOption !== undefined)
      document.getElementById(activeOption)?.scrollIntoView({ block: "nearest" });
  }, [activeOption]);
  useEffect(() => {
    // An entry that the operator has chosen can run immediately. The best match is known only after all entries are
    // loaded.
    if (!isEnterPending || !(isSettled || chosenIndex >= 0)) return;
    onEnterHandled();
    if (active !== undefined && !isBlocked(active)) run(active);
  });
  return (
    <>
      {commands.length === 0 && (
        <p role="status" className="px-3 py-6 text-ink-3">
          {isSettled ? messages.noResults : messages.loading}
        </p>
      )}
      <div
        id={id}
        role="listbox"
        aria-label={messages.title}
        aria-busy={!isSettled}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-1.5 empty:hidden"
      >
        {sections.map(({ title, commands: entries }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox
          <div key={title} role="group" aria-label={title}>
            <p aria-hidden className="px-2.5 pt-2 pb-1 text-2xs text-ink-3">
              {title}
            </p>
            {entries.map((command) => (
              <PaletteEntry
                key={command.id}
                optionId={toOptionId(id, command)}
                command={command}
                isActive={command === active}
                onPoint={() => setChosen({ id: command.id, typed })}
                onRun={run}
              />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

function isBlocked({ blocked }: PaletteCommand): boolean {
  return typeof blocked === "string";
}

function toOptionId(listId: string, { id }: PaletteCommand): string {
  return `${listId}-${encodeURIComponent(id)}`;
}

interface PaletteEntryProps {
  optionId: string;
  command: PaletteCommand;
  isActive: boolean;
  onPoint(): void;
  onRun(command: PaletteCommand): void;
}

function PaletteEntry({ optionId, command, isActive, onPoint, onRun }: PaletteEntryProps) {
  const { name, hint, keys, blocked } = command;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input above handles the keys
    <div
      id={optionId}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      aria-disabled={isBlocked(command) || undefined}
      // Keeps the focus in the text field.
      onMouseDown={(event) => event.preventDefault()}
      onPointerMove={() => isActive || onPoint()}
      onClick={() => isBlocked(command) || onRun(command)}
      className="flex min-h-9 cursor-pointer items-center gap-3 rounded-[7px] px-2.5 outline-none aria-disabled:cursor-default aria-disabled:text-ink-3 aria-selected:bg-accent-bg pointer-coarse:min-h-11"
    >
      <span className="min-w-0 shrink truncate" dir="auto">
        {name}
      </span>
      <span className="min-w-0 flex-1 truncate text-2xs text-ink-2">{blocked ?? hint}</span>
      {keys !== undefined && <Kbd>{keys}</Kbd>}
    </div>
  );
}

/** Returns the text after typing has paused for `DEBOUNCE_MS`, because each change sends a request. */
function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}
