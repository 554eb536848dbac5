"use client";

import { useUiFlag } from "@/components/ui/ui-flags.tsx";

export interface FacetVisibility {
  /** The operator's choice; `null` if the style sheet decides based on the width. */
  readonly chosen: boolean | null;
  setOpen(open: boolean): void;
  /** Hides the closed sidebar, with media queries that apply before hydration. */
  readonly sidebarClass: string;
  /** The class of elements that are shown only while the sidebar is closed. */
  readonly closedClass: string;
}

let wasToggled = false;

/**
 * Returns whether the filters next to the list are open. By default, they are open at 1600 px and wider. Below 1024 px,
 * they are always hidden.
 */
export function useFacetVisibility(): FacetVisibility {
  const [chosen, setChosen] = useUiFlag("facets");
  return {
    chosen,
    setOpen(open) {
      wasToggled = true;
      setChosen(open);
    },
    sidebarClass: chosen === null ? "max-[99.99rem]:hidden" : chosen ? "max-lg:hidden" : "hidden",
    closedClass: chosen === null ? "min-[100rem]:hidden" : chosen ? "lg:hidden" : "",
  };
}

/**
 * Focuses the button that appears when the sidebar is opened or closed, because the clicked button disappears. Use this
 * function as the ref of both buttons.
 */
export function focusFacetToggle(button: HTMLButtonElement | null): void {
  if (!wasToggled || button === null || button.offsetParent === null) return;
  wasToggled = false;
  button.focus();
}
