"use client";

import { Search } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, useLayoutEffect, useRef, useState } from "react";
import { Kbd } from "@/components/ui/kbd.tsx";
import { LoadFailure } from "@/components/ui/load-failure.tsx";
import { createLazyCode, useLazyCode } from "@/components/ui/overlay/lazy-code.ts";
import { palette } from "@/lib/i18n/en/palette.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { PaletteListHandle } from "./palette-list.tsx";

const paletteList = createLazyCode(() => import("./palette-list.tsx"));
paletteList.preload();

const LIST_ID = "palette-list";
const TEXT_CHARACTERS_MAX = 200;
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

interface PaletteDialogProps {
  onClose(): void;
  onHelp(): void;
}

/**
 * Shows the command palette, which finds locks, pages and commands. The input is mounted and focused as soon as the
 * palette opens, so no keystroke is lost while the entries load. If Enter is pressed before the entries match the text,
 * the active command runs as soon as they match.
 */
export function PaletteDialog({ onClose: onClosed, onHelp }: PaletteDialogProps) {
  const messages = useMessages(palette);
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<PaletteListHandle>(null);
  const [typed, setTyped] = useState("");
  const [isEnterPending, setEnterPending] = useState(false);
  const [activeOption, setActiveOption] = useState<string>();
  const lazyList = useLazyCode(paletteList);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    input.current?.focus();
    return () => element?.close();
  }, []);
  const close = () => {
    // Closing the dialog restores the focus. This must happen before the command runs, because the command may move the
    // focus.
    dialog.current?.close();
    onClosed();
  };
  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = STEPS[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step === undefined) setEnterPending(true);
    else list.current?.moveActive(step);
  };
  const closeOnBackdrop = (event: MouseEvent) => event.target === dialog.current && close();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it with a cancel event
    <dialog
      ref={dialog}
      aria-label={messages.title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClose={onClosed}
      onClick={closeOnBackdrop}
      className="fixed inset-x-0 top-0 mx-auto flex max-h-dvh w-[600px] max-w-full flex-col overflow-hidden border border-line bg-panel p-0 text-ink shadow-sheet outline-none backdrop:bg-overlay sm:top-24 sm:max-h-[min(560px,calc(100dvh-7rem))] sm:max-w-[calc(100vw-2rem)] sm:rounded-[12px]"
    >
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search aria-hidden size={15} className="shrink-0 text-ink-3" />
        <input
          ref={input}
          role="combobox"
          aria-label={messages.title}
          aria-expanded={lazyList.is === "loaded"}
          aria-controls={lazyList.is === "loaded" ? LIST_ID : undefined}
          aria-autocomplete="list"
          aria-activedescendant={activeOption}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setEnterPending(false);
          }}
          onKeyDown={handleKey}
          placeholder={messages.placeholder}
          maxLength={TEXT_CHARACTERS_MAX}
          autoComplete="off"
          spellCheck={false}
          className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-ink-3"
        />
        <button
          type="button"
          aria-label={messages.close}
          onClick={close}
          className="rounded-[4px] px-0.5 py-1 outline-offset-2 pointer-coarse:min-h-11"
        >
          <Kbd>{"Esc"}</Kbd>
        </button>
      </div>
      {lazyList.is === "failed" && <LoadFailure place="inline" onRetry={lazyList.retry} />}
      {lazyList.is === "loading" && (
        <p role="status" className="px-4 py-6 text-ink-3">
          {messages.loading}
        </p>
      )}
      {lazyList.is === "loaded" && (
        <lazyList.code.PaletteList
          ref={list}
          id={LIST_ID}
          typed={typed}
          isEnterPending={isEnterPending}
          onEnterHandled={() => setEnterPending(false)}
          onActive={setActiveOption}
          onClose={close}
          onHelp={onHelp}
        />
      )}
      <ShortcutHints />
    </dialog>
  );
}

const SHORTCUT_HINTS = [
  { keys: ["↑", "↓"], does: "hintSelect" },
  { keys: ["Enter"], does: "hintOpen" },
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
