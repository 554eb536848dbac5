"use client";

import { useUiFlag } from "@/components/ui/ui-flags.tsx";

/** The media query for windows with room for the panel next to the table: 1200 px and wider. */
export const EVENT_PANEL_QUERY = "(width >= 75rem)";
export const EVENT_PANEL_CLASS =
  "flex w-[272px] shrink-0 flex-col border-l border-line bg-panel max-[74.99rem]:hidden";
/** The class of the ticker below the table. It is hidden on phones, whose bottom bar links to the events. */
export const EVENT_TICKER_CLASS = "-mx-3 -mt-2 h-8 shrink-0 border-t border-line bg-panel max-sm:hidden";

export interface EventPanelVisibility {
  readonly isOpen: boolean;
  setOpen(open: boolean): void;
  /** The class of the placeholder, which applies before the page knows its width. */
  readonly closedClass: string;
}

let wasToggled = false;

/**
 * Returns whether the event panel is open, which it is unless the user closed it. Below 1200 px, an open panel is
 * hidden.
 */
export function useEventPanel(): EventPanelVisibility {
  const [chosen, setChosen] = useUiFlag("events");
  const isOpen = chosen ?? true;
  return {
    isOpen,
    setOpen(open) {
      wasToggled = true;
      setChosen(open);
    },
    closedClass: isOpen ? "min-[75rem]:hidden" : "",
  };
}

/**
 * Moves the focus from the button that disappears to the one that appears. Use it as the ref of the buttons that open
 * and close the panel.
 */
export function focusEventToggle(button: HTMLButtonElement | null): void {
  if (!wasToggled || button === null || button.offsetParent === null) return;
  wasToggled = false;
  button.focus();
}
