"use client";

import { useUiFlag } from "@/components/ui/ui-flags.tsx";

/** The media query for windows that have room for the panel next to the table (1200 px and wider). */
export const EVENT_PANEL_QUERY = "(width >= 75rem)";
export const EVENT_PANEL_CLASS =
  "flex w-[272px] shrink-0 flex-col border-l border-line bg-panel max-[74.99rem]:hidden";
/**
 * The CSS classes of the ticker below the table. They hide the ticker on phones, where the bottom bar links to the
 * events.
 */
export const EVENT_TICKER_CLASS = "-mx-3 -mt-2 h-8 shrink-0 border-t border-line bg-panel max-sm:hidden";

export interface EventPanelVisibility {
  readonly isOpen: boolean;
  setOpen(open: boolean): void;
  /**
   * The class for elements that are visible only while the panel is closed or does not fit. The class uses a media
   * query, so it applies before hydration.
   */
  readonly closedClass: string;
}

let wasToggled = false;

/**
 * Returns whether the event panel is open, and a function that opens or closes it. The panel is open by default. In
 * windows narrower than 1200 px, CSS hides the panel even if it is open.
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
 * Moves the focus to the button that appears when the panel is opened or closed, because the clicked button disappears.
 * Call this function in the ref callbacks of the open button and the close button.
 */
export function focusEventToggle(button: HTMLButtonElement | null): void {
  if (!wasToggled || button === null || button.offsetParent === null) return;
  wasToggled = false;
  button.focus();
}
