"use client";

import { type RefObject, useRef, useState } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { findRowElement } from "./table/row-element.ts";

export interface CopySheetState {
  /** The lock whose menu is open; `null` if no menu is open. */
  lock: Lock | null;
  anchor: RefObject<HTMLElement | null>;
  /**
   * Opens the copy menu of a lock.
   *
   * @param opener the control that opened the menu; defaults to the row of the lock
   */
  open(lock: Lock, opener?: HTMLElement): void;
  close(): void;
}

/** Holds the state of the copy menu: the lock for which the menu is open, and the element next to which it is shown. */
export function useCopySheet(place: RefObject<HTMLElement | null>): CopySheetState {
  const [lock, setLock] = useState<Lock | null>(null);
  const anchor = useRef<HTMLElement>(null);
  return {
    lock,
    anchor,
    open(next, opener) {
      anchor.current = opener ?? findRowElement(place.current, toLockPath(next)) ?? null;
      setLock(next);
    },
    close: () => setLock(null),
  };
}
