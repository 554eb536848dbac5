"use client";

import { useUiFlag } from "@/components/ui/ui-flags.tsx";

export interface FacetVisibility {
  /**
   * `true` if the operator opened the filters, `false` if the operator closed the filters; `null` if the operator did
   * neither, in which case the width of the window decides.
   */
  readonly chosen: boolean | null;
  setOpen(open: boolean): void;
  /**
   * The class of the sidebar, which hides a closed sidebar. The class uses media queries, so it applies before
   * hydration.
   */
  readonly sidebarClass: string;
  /** The class for elements that are visible only while the sidebar is closed or does not fit. */
  readonly closedClass: string;
}

let wasToggled = false;

/**
 * Returns the operator's choice to open or close the filter sidebar, and a function that opens or closes it. By
 * default, the sidebar is open in windows of 1600 px and wider. Below 1024 px, the sidebar is always hidden.
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
 * Moves the focus to the button that appears when the sidebar is opened or closed, because the clicked button
 * disappears. Call this function in the ref callbacks of the open button and the close button.
 */
export function focusFacetToggle(button: HTMLButtonElement | null): void {
  if (!wasToggled || button === null || button.offsetParent === null) return;
  wasToggled = false;
  button.focus();
}
