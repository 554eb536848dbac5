"use client";

import { Search } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useState } from "react";
import { Kbd } from "@/components/ui/kbd.tsx";
import { palette } from "@/lib/i18n/en/palette.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

const CommandPalette = dynamic(
  () => import("./command-palette.tsx").then((module) => module.CommandPalette),
  {
    ssr: false,
  },
);

/** Opens the palette, by a click or by ⌘K (Ctrl+K) from wherever one is, also while typing. */
export function PaletteButton({ onHelp }: { onHelp(): void }) {
  const messages = useMessages(palette);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== "k" ||
        !(event.metaKey || event.ctrlKey) ||
        event.shiftKey ||
        event.altKey
      )
        return;
      // The browser's own search takes it otherwise, also over a sheet, where the palette stays away.
      event.preventDefault();
      if (document.querySelector("[role=dialog], [role=alertdialog]") === null) setOpen(true);
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
        onClick={() => setOpen(true)}
        className="flex h-7 shrink-0 items-center gap-2 rounded-[7px] border border-line bg-panel px-2 text-ink-2 hover:bg-line-soft max-sm:relative max-sm:after:absolute max-sm:after:-inset-x-1 max-sm:after:-inset-y-2 lg:w-44"
      >
        <Search aria-hidden size={14} className="shrink-0" />
        <span className="flex-1 text-left max-lg:sr-only">{messages.openShort}</span>
        <span className="max-lg:hidden">
          <Kbd>⌘K</Kbd>
        </span>
      </button>
      {open && <CommandPalette onClose={() => setOpen(false)} onHelp={onHelp} />}
    </>
  );
}
