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
  /**
   * Returns the element that receives the focus when the dialog closes. Defaults to the control that opened the dialog.
   */
  finalFocus?: (() => HTMLElement | null) | undefined;
  /** Whether the dialog stays open on Escape and on clicks outside. Use this for content that is shown only once. */
  stays?: boolean;
  onSubmit?(): void;
  /**
   * How the form is submitted. `enter`: also by Enter in a field. `button`: only by the button, or by Enter with Ctrl
   * or ⌘. Use `button` for irreversible actions.
   */
  sends?: "enter" | "button";
  /** `wide` is for lists. On phones, both widths fill the screen. */
  width?: "normal" | "wide";
  /**
   * `content`: the dialog is as tall as its content, except on phones. `full`: the dialog fills the height of the
   * window.
   */
  height?: "full" | "content";
  /** Returns the element that receives the focus when the dialog opens. Defaults to the first control. */
  initialFocus?: (() => HTMLElement | null) | undefined;
  /** Called on every input. Use it to clear an earlier error. */
  onEdit?(): void;
  /** Placed at the bottom, next to the close button. */
  actions?: ReactNode;
  closeLabel?: string;
  note?: ReactNode;
  children: ReactNode;
}

/**
 * Returns the element to focus when a dialog opens: the requested control if in view, otherwise the heading.
 * Focusing a control that is out of view would scroll the details away.
 */
function findInitialFocus(wanted: HTMLElement | null, heading: HTMLElement | null): HTMLElement | null {
  const visible = wanted?.closest("[data-scroll]")?.getBoundingClientRect();
  if (wanted === null || visible === undefined) return heading;
  return wanted.getBoundingClientRect().bottom <= visible.bottom ? wanted : heading;
}

/**
 * Scrolls to the top of the dialog that contains the element. Then focuses the element if it is in view, otherwise the
 * heading. Call this after the content of the dialog has been replaced. Does nothing if the element is `null`.
 */
export function focusInSheet(wanted: HTMLElement | null): void {
  const scroller = wanted?.closest("[data-scroll]");
  scroller?.scrollTo(0, 0);
  findInitialFocus(wanted, scroller?.querySelector("h2") ?? null)?.focus();
}

/**
 * Renders a dialog that slides in from the right. Load this component on demand, because it includes the overlay code.
 */
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
            {/* Touch targets are 44 px high. On phones, the note has a line of its own. */}
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
