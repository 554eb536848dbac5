import clsx from "clsx";

/** The CSS classes of the element that contains the tabs. */
export const TABS_CLASS = "flex gap-1 overflow-x-auto border-b border-line";

/** Returns the CSS classes of a tab that is a link or button. The selected tab is underlined. */
export function getTabClass(isChosen: boolean): string {
  return clsx(
    "inline-flex min-h-9 shrink-0 items-center border-b-2 px-2.5 whitespace-nowrap outline-offset-[-2px] max-sm:min-h-11",
    isChosen ? "border-accent font-medium text-ink" : "border-transparent text-ink-2 hover:text-ink",
  );
}
