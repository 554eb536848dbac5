import clsx from "clsx";

/** The line that tabs stand on. */
export const TABS_CLASS = "flex gap-1 overflow-x-auto border-b border-line";

/** A tab, a link or a button: underlined where it is chosen. */
export function getTabClass(isChosen: boolean): string {
  return clsx(
    "inline-flex min-h-9 shrink-0 items-center border-b-2 px-2.5 whitespace-nowrap outline-offset-[-2px] max-sm:min-h-11",
    isChosen ? "border-accent font-medium text-ink" : "border-transparent text-ink-2 hover:text-ink",
  );
}
