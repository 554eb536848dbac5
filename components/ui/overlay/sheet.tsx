"use client";

import { Dialog } from "@base-ui/react/dialog";
import clsx from "clsx";
import { type FormEvent, type KeyboardEvent, type ReactNode, useRef } from "react";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { Button } from "../button.tsx";

interface SheetProps {
  title: ReactNode;
  onClose(): void;
  /** Where the focus goes after; without it, to what opened the sheet. */
  finalFocus?: (() => HTMLElement | null) | undefined;
  /** Escape and a click beside it do not close: what it shows is shown once. */
  stays?: boolean;
  onSubmit?(): void;
  /**
   * `enter`: also Enter in a field. `button`: its button, or Enter with Ctrl or ⌘, so that what cannot be undone is not
   * done by accident.
   */
  sends?: "enter" | "button";
  /** `wide`: for lists. Either fills a phone. */
  width?: "normal" | "wide";
  /** `content`: no higher than what it shows; a phone is filled nevertheless. */
  height?: "full" | "content";
  /** Where the focus goes first; without it, to the first control. */
  initialFocus?: (() => HTMLElement | null) | undefined;
  /** Something was typed or chosen: what was said of it before is of no use any more. */
  onEdit?(): void;
  /** Stands at the foot, beside the button that closes. */
  actions?: ReactNode;
  closeLabel?: string;
  note?: ReactNode;
  children: ReactNode;
}

/**
 * Returns where the focus goes when a sheet opens: to the wanted control, unless it is further down than the window
 * shows. Focusing it would scroll what the sheet is about out of view.
 */
function findInitialFocus(wanted: HTMLElement | null, heading: HTMLElement | null): HTMLElement | null {
  const visible = wanted?.closest("[data-scroll]")?.getBoundingClientRect();
  if (wanted === null || visible === undefined) return heading;
  return wanted.getBoundingClientRect().bottom <= visible.bottom ? wanted : heading;
}

/** Scrolls a sheet that shows something else now to its top, and focuses as it did when it opened. */
export function focusInSheet(wanted: HTMLElement | null): void {
  const scroller = wanted?.closest("[data-scroll]");
  scroller?.scrollTo(0, 0);
  findInitialFocus(wanted, scroller?.querySelector("h2") ?? null)?.focus();
}

/** What slides in from the right to do one thing. Load it late: it brings the overlay. */
export function Sheet({ title, onClose, stays = false, onSubmit, onEdit, ...rest }: SheetProps) {
  const messages = useMessages(ui);
  const { actions, closeLabel = messages.cancel, note, children, finalFocus, initialFocus } = rest;
  const { sends = "enter", width = "normal", height = "full" } = rest;
  const heading = useRef<HTMLHeadingElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const keyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    const isMeant = event.ctrlKey || event.metaKey;
    if (isMeant) event.currentTarget.requestSubmit();
    if (isMeant || (sends === "button" && event.target instanceof HTMLInputElement)) event.preventDefault();
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
          {...(initialFocus === undefined
            ? {}
            : { initialFocus: () => findInitialFocus(initialFocus(), heading.current) })}
          className={clsx(
            "fixed inset-y-0 right-0 z-40 flex w-full flex-col border-line bg-panel shadow-sheet sm:top-12 sm:border-l",
            width === "wide" ? "sm:w-[620px]" : "sm:w-[468px]",
            height === "content" &&
              "sm:bottom-auto sm:max-h-[calc(100dvh-3rem)] sm:rounded-bl-[12px] sm:border-b",
          )}
        >
          <form
            onSubmit={submit}
            onChange={onEdit}
            onKeyDown={keyDown}
            className="flex min-h-0 flex-1 flex-col"
            noValidate
          >
            <div
              data-scroll
              className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-4 pt-5 pb-3 sm:px-5.5"
            >
              <Dialog.Title
                ref={heading}
                tabIndex={-1}
                className="text-lg font-semibold tracking-tight break-words outline-none"
              >
                {title}
              </Dialog.Title>
              {children}
            </div>
            {/* A thumb hits 44 px; there the note has a line of its own. */}
            <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3 max-sm:[&>button]:h-11 max-sm:[&>button]:flex-1 sm:px-5.5">
              <div className="min-w-32 flex-1 text-2xs text-ink-3 max-sm:basis-full">{note}</div>
              <Dialog.Close render={<Button>{closeLabel}</Button>} />
              {actions}
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
