import type { KeyboardEvent } from "react";

/** Attribute that marks the elements of a facet to which the arrow keys can move the focus. */
export const FACET_ITEM_ATTRIBUTE = "data-facet-item";

/** Handles the arrow keys, Home and End, which move the focus between the values of one facet. */
export function moveFacetFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(`[${FACET_ITEM_ATTRIBUTE}]`)];
  const at = event.target instanceof HTMLElement ? items.indexOf(event.target) : -1;
  const next = at < 0 ? undefined : findNextIndex(event.key, at, items.length);
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
}

/** Returns the index of the element to focus; `undefined` if `key` does not move the focus. */
function findNextIndex(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return Math.min(count - 1, at + 1);
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}
