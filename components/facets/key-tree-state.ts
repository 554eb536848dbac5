"use client";

import { createContext, use } from "react";

export interface KeyTreeState {
  /**
   * The branches that the operator has opened (`true`) or closed (`false`), by prefix. Any other branch is open only if
   * it is the only branch on the first level or contains the selected branch.
   */
  readonly opened: ReadonlyMap<string, boolean>;
  open(name: string, isOpen: boolean): void;
  /** The prefix of the branch that is the tab stop; `null` for the first branch. */
  readonly active: string | null;
  setActive(name: string | null): void;
  /** Called when a branch is removed. If the branch was the tab stop, the first branch becomes the tab stop. */
  leave(name: string): void;
  /** The term of the current search that selects a branch; `undefined` if the search has no such term. */
  readonly chosen: string | undefined;
  onChoose(term: string | undefined): void;
}

export const KeyTreeContext = createContext<KeyTreeState | null>(null);

export function useKeyTree(): KeyTreeState {
  const state = use(KeyTreeContext);
  if (state === null) throw new Error("There is no <KeyTree> above this component.");
  return state;
}

/**
 * Returns the indentation of a level in pixels. Limits the indentation so that deep branches fit into the panel.
 *
 * @param level level in the tree, starting at 1
 */
export function getIndentPx(level: number): number {
  return 12 * Math.min(level - 1, 5);
}
