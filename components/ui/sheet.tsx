"use client";

import { Dialog } from "@base-ui/react/dialog";
import type { FormEvent, ReactNode } from "react";
import { ui } from "@/lib/words/en/ui.ts";
import { useWords } from "@/lib/words/words.tsx";
import { Button } from "./button.tsx";

interface SheetProps {
  title: ReactNode;
  onClose(): void;
  /** Where the focus goes after; without it, to what opened the sheet. */
  finalFocus?: (() => HTMLElement | null) | undefined;
  /** Escape and a click beside it do not close: what it shows is shown once. */
  stays?: boolean;
  onSubmit?(): void;
  /** Something was typed or chosen: what was said of it before is of no use any more. */
  onEdit?(): void;
  /** Stands at the foot, beside the button that closes. */
  actions?: ReactNode;
  closeLabel?: string;
  note?: ReactNode;
  children: ReactNode;
}

/** What slides in from the right to do one thing. Load it late: it brings the overlay. */
export function Sheet({ title, onClose, finalFocus, stays = false, onSubmit, onEdit, ...rest }: SheetProps) {
  const words = useWords(ui);
  const { actions, closeLabel = words.cancel, note, children } = rest;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <Dialog.Root
      open
      disablePointerDismissal={stays}
      onOpenChange={(open, { reason }) => {
        if (!open && !(stays && reason === "escape-key")) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-overlay sm:top-12" />
        <Dialog.Popup
          {...(finalFocus === undefined ? {} : { finalFocus })}
          className="fixed inset-y-0 right-0 z-40 flex w-[468px] max-w-full flex-col border-l border-line bg-panel shadow-sheet sm:top-12"
        >
          <form onSubmit={submit} onChange={onEdit} className="flex min-h-0 flex-1 flex-col" noValidate>
            <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5.5 pt-5 pb-3">
              <Dialog.Title className="text-lg font-semibold tracking-tight break-words">
                {title}
              </Dialog.Title>
              {children}
            </div>
            <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5.5 py-3">
              <div className="min-w-32 flex-1 text-2xs text-ink-3">{note}</div>
              <Dialog.Close render={<Button>{closeLabel}</Button>} />
              {actions}
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
