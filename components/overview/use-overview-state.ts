"use client";

import { useUiFlag } from "@/components/ui/ui-flags.tsx";
import { useMediaQuery } from "@/components/ui/use-media-query.ts";

export interface OverviewState {
  readonly isOpen: boolean;
  toggle(open: boolean): void;
  /**
   * The CSS class of the open overview. If the overview is closed on phones, the class hides it there with a media
   * query, which applies before hydration.
   */
  readonly openClass: string;
  /**
   * The CSS class of the button that opens the overview on wide screens; `null` if the overview is open on wide
   * screens.
   */
  readonly wideButtonClass: string | null;
  readonly phoneButtonClass: string | null;
}

let wasToggled = false;

/**
 * Returns whether the overview is open, and a function that opens or closes it. On phones, the overview is closed by
 * default, because it covers half of the page.
 */
export function useOverviewState(): OverviewState {
  const [chosenWide, setWide] = useUiFlag("overview");
  const [chosenPhone, setPhone] = useUiFlag("overview-phone");
  const [wide, phone] = [chosenWide ?? true, chosenPhone ?? false];
  const isPhone = useMediaQuery("(width < 40rem)");
  return {
    isOpen: isPhone ? phone : wide,
    toggle(open) {
      wasToggled = true;
      if (isPhone) setPhone(open);
      else setWide(open);
    },
    openClass: phone ? "" : "max-sm:hidden",
    wideButtonClass: wide ? null : "max-sm:hidden",
    phoneButtonClass: phone ? null : "sm:hidden",
  };
}

/**
 * Focuses the button that replaces the clicked button when the overview is opened or closed. Use `focusIfToggled` as
 * the ref of both buttons.
 */
export function focusIfToggled(button: HTMLButtonElement | null): void {
  if (!wasToggled || button === null || button.offsetParent === null) return;
  wasToggled = false;
  button.focus();
}
