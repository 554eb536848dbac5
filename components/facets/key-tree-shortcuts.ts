import type { KeyboardEvent } from "react";

const TREE_ITEM_SELECTOR = '[role="treeitem"]';

/**
 * Handles the keys that move the focus between visible branches. Each branch handles the keys that open, close and
 * select it.
 */
export function moveTreeFocus(event: KeyboardEvent<HTMLElement>): void {
  const target =
    event.target instanceof HTMLElement ? event.target.closest<HTMLElement>(TREE_ITEM_SELECTOR) : null;
  if (target === null || event.altKey || event.ctrlKey || event.metaKey) return;
  const next = findNextTreeItem(event.key, target, [
    ...event.currentTarget.querySelectorAll<HTMLElement>(TREE_ITEM_SELECTOR),
  ]);
  if (next === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/**
 * Returns the branch to focus; `null` if there is no branch in that direction, and `undefined` if the key does not move
 * the focus.
 */
function findNextTreeItem(key: string, target: HTMLElement, items: readonly HTMLElement[]) {
  const at = items.indexOf(target);
  const isOpen = target.getAttribute("aria-expanded") === "true";
  if (key === "ArrowDown") return items[at + 1] ?? null;
  if (key === "ArrowUp") return items[at - 1] ?? null;
  if (key === "Home") return items[0] ?? null;
  if (key === "End") return items.at(-1) ?? null;
  if (key === "ArrowLeft" && !isOpen)
    return target.parentElement?.closest<HTMLElement>(TREE_ITEM_SELECTOR) ?? null;
  if (key === "ArrowRight" && isOpen) return target.querySelector<HTMLElement>(TREE_ITEM_SELECTOR);
  return undefined;
}
