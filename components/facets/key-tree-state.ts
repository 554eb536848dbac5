"use client";

import { createContext, use } from "react";

export interface KeyTreeState {
  /** Branches that the operator opened or closed. All others are open if they are the only one on their level. */
  readonly opened: ReadonlyMap<string, boolean>;
  open(name: string, isOpen: boolean): void;
  /** The branch that is the tab stop; `null` for the first branch. */
  readonly active: string | null;
  setActive(name: string | null): void;
  /** Called when a branch is removed, because that branch may have had the keyboard focus. */
  leave(name: string): void;
  /** The term for the `key` facet in the current search; `undefined` if there is none. */
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
 * Returns the indentation of a level in pixels, up to a maximum, because deep branches must fit into the panel.
 *
 * @param level starts at 1
 */
export function getIndentPx(level: number): number {
  return 12 * Math.min(level - 1, 5);
}
