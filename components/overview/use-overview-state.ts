"use client";

import { useUiFlag } from "@/components/ui/ui-flags.tsx";
import { useMediaQuery } from "@/components/ui/use-media-query.ts";

export interface OverviewState {
  readonly isOpen: boolean;
  toggle(open: boolean): void;
  /** The class of the open overview, which applies before the page knows its width. */
  readonly openClass: string;
  /** The class of the buttons that open it; `null` if it is open. */
  readonly deskKeyClass: string | null;
  readonly phoneKeyClass: string | null;
}

let wasToggled = false;

/** Returns whether the overview is open. On phones it starts closed, because it takes up half of the page. */
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
    deskKeyClass: wide ? null : "max-sm:hidden",
    phoneKeyClass: phone ? null : "sm:hidden",
  };
}

/**
 * Moves the focus from the button that disappears to the one that appears. Use it as the ref of the buttons that open
 * and close the overview.
 */
export function focusIfToggled(button: HTMLButtonElement | null): void {
  if (!wasToggled || button === null || button.offsetParent === null) return;
  wasToggled = false;
  button.focus();
}
