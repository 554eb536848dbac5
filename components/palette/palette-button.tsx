"use client";

import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { Kbd } from "@/components/ui/kbd.tsx";
import { isDialogActive } from "@/components/ui/overlay-opening.ts";
import { palette } from "@/lib/i18n/en/palette.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { PaletteDialog } from "./palette-dialog.tsx";

function isPaletteShortcut({ key, metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "k" && (metaKey || ctrlKey) && !shiftKey && !altKey;
}

/** Opens the palette unless another dialog is open or opening. Two open dialogs would both capture the keyboard. */
function openPalette(setOpen: (isOpen: boolean) => void): void {
  if (!isDialogActive()) setOpen(true);
}

/**
 * Renders the button that opens the palette. The shortcut ⌘K (Ctrl+K) also opens the palette, even from text fields.
 * The button and the shortcut have no effect while another dialog is open.
 */
export function PaletteButton({ onHelp }: { onHelp(): void }) {
  const messages = useMessages(palette);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isPaletteShortcut(event)) return;
      // Prevents the browser's own shortcut, even if another dialog keeps the palette closed.
      event.preventDefault();
      openPalette(setOpen);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  return (
    <>
      <button
        type="button"
        title={messages.open}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => openPalette(setOpen)}
        className="flex h-7 shrink-0 items-center gap-2 rounded-[7px] border border-line bg-panel px-2 text-ink-2 hover:bg-line-soft max-sm:size-11 max-sm:justify-center max-sm:border-transparent max-sm:bg-transparent lg:w-44"
      >
        <Search aria-hidden size={14} className="shrink-0" />
        <span className="flex-1 text-left max-lg:sr-only">{messages.openShort}</span>
        <span className="max-lg:hidden">
          <Kbd>⌘K</Kbd>
        </span>
      </button>
      {isOpen && <PaletteDialog onClose={() => setOpen(false)} onHelp={onHelp} />}
    </>
  );
}
