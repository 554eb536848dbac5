"use client";

import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { Kbd } from "@/components/ui/kbd.tsx";
import { palette } from "@/lib/i18n/en/palette.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { PaletteCommand } from "../app/command-registry.tsx";
import type { PaletteSection } from "./palette-sections.ts";
import { usePaletteSections } from "./use-palette-sections.ts";

const DEBOUNCE_MS = 120;

interface CommandPaletteProps {
  onClose(): void;
  onHelp(): void;
}

/** Every lock, page and command by its name. */
export function CommandPalette({ onClose, onHelp }: CommandPaletteProps) {
  const messages = useMessages(palette);
  const [typed, setTyped] = useState("");
  const sections = usePaletteSections(typed, useDebounced(typed), onHelp);
  const take = (command: PaletteCommand) => {
    onClose();
    command.run();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-overlay" />
        <Dialog.Popup
          aria-label={messages.title}
          className="fixed inset-x-0 top-0 z-40 mx-auto flex max-h-dvh w-[600px] max-w-full flex-col overflow-hidden border border-line bg-panel shadow-sheet outline-none sm:top-24 sm:max-h-[min(560px,calc(100dvh-7rem))] sm:max-w-[calc(100vw-2rem)] sm:rounded-[12px]"
        >
          <Autocomplete.Root
            open
            inline
            autoHighlight="always"
            keepHighlight
            filter={null}
            items={sections.map(({ title, commands }) => ({ value: title, items: commands }))}
            itemToStringValue={(command: PaletteCommand) => command.name}
            value={typed}
            // Taking an entry would write its name into the box for a moment.
            onValueChange={(value, { reason }) => reason === "item-press" || setTyped(value)}
          >
            <div className="flex items-center gap-2.5 border-b border-line px-4">
              <Search aria-hidden size={15} className="shrink-0 text-ink-3" />
              <Autocomplete.Input
                aria-label={messages.title}
                placeholder={messages.placeholder}
                maxLength={200}
                spellCheck={false}
                className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-ink-3"
              />
              <Dialog.Close
                aria-label={messages.close}
                className="rounded-[4px] px-0.5 py-1 outline-offset-2 pointer-coarse:min-h-11"
              >
                <Kbd>{"Esc"}</Kbd>
              </Dialog.Close>
            </div>
            <Autocomplete.Empty className="px-3 py-6 text-ink-3 empty:hidden">
              {messages.nothing}
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-1.5 data-empty:hidden">
              {(section: { value: PaletteSection["title"]; items: PaletteSection["commands"] }) => (
                <Autocomplete.Group key={section.value} items={section.items}>
                  <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-2xs text-ink-3">
                    {section.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(command: PaletteCommand) => (
                      <PaletteEntry key={command.id} command={command} onTake={take} />
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
            <ShortcutHints />
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteEntry({
  command,
  onTake,
}: {
  command: PaletteCommand;
  onTake(command: PaletteCommand): void;
}) {
  const { name, hint, keys, blocked } = command;
  const isBlocked = typeof blocked === "string";
  return (
    <Autocomplete.Item
      value={command}
      aria-disabled={isBlocked || undefined}
      onClick={() => isBlocked || onTake(command)}
      className="flex min-h-9 cursor-pointer items-center gap-3 rounded-[7px] px-2.5 outline-none aria-disabled:cursor-default aria-disabled:text-ink-3 data-highlighted:bg-accent-bg pointer-coarse:min-h-11"
    >
      <span className="min-w-0 shrink truncate" dir="auto">
        {name}
      </span>
      <span className="min-w-0 flex-1 truncate text-2xs text-ink-2">{blocked ?? hint}</span>
      {keys !== undefined && <Kbd>{keys}</Kbd>}
    </Autocomplete.Item>
  );
}

const SHORTCUT_HINTS = [
  { keys: ["↑", "↓"], does: "hintMove" },
  { keys: ["Enter"], does: "hintTake" },
  { keys: ["Esc"], does: "hintClose" },
] as const;

function ShortcutHints() {
  const messages = useMessages(palette);
  return (
    <p className="flex gap-4 border-t border-line px-4 py-2 text-2xs text-ink-3 max-sm:hidden">
      {SHORTCUT_HINTS.map(({ keys, does }) => (
        <span key={does} className="flex items-center gap-1">
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
          {messages[does]}
        </span>
      ))}
    </p>
  );
}

/** What was typed, once the typing rests: each question is one to the server. */
function useDebounced(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
