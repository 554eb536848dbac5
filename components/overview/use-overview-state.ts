"use client";

import { useUiFlag } from "@/components/ui/ui-flags.tsx";
import { useMediaQuery } from "@/components/ui/use-media-query.ts";

export interface OverviewState {
  readonly isOpen: boolean;
  toggle(open: boolean): void;
  /** Of what is shown while it is open: right also before the page knows its width. */
  readonly openClass: string;
  /** Of the ways to open it; null: it is open there. */
  readonly deskKeyClass: string | null;
  readonly phoneKeyClass: string | null;
}

let wasToggled = false;

/** Whether the overview is open: on a phone, where it would take half of the page, only after a tap. */
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

/** Each of the two buttons, to open and to close, goes as the other comes; the focus goes over to it. */
export function focusIfToggled(button: HTMLButtonElement | null): void {
  if (!wasToggled || button === null || button.offsetParent === null) return;
  wasToggled = false;
  button.focus();
}
