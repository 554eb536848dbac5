"use client";

import { createContext, use } from "react";

export interface KeyTreeState {
  /** What somebody opened or folded; the others are open where there is nothing to choose from. */
  readonly opened: ReadonlyMap<string, boolean>;
  open(name: string, isOpen: boolean): void;
  /** The branch that the keyboard is at; null: the first. */
  readonly active: string | null;
  setActive(name: string | null): void;
  /** A branch goes away, and may have had the keyboard. */
  leave(name: string): void;
  /** The word of the search that narrows by keys. */
  readonly chosen: string | undefined;
  onChoose(word: string | undefined): void;
}

export const KeyTreeContext = createContext<KeyTreeState | null>(null);

export function useKeyTree(): KeyTreeState {
  const state = use(KeyTreeContext);
  if (state === null) throw new Error("There is no <KeyTree> above this component.");
  return state;
}

/** How far a level stands in, in pixels: deep branches do not run out of the panel. @param level from 1 */
export function getIndentPx(level: number): number {
  return 12 * Math.min(level - 1, 5);
}
