"use client";

import { type RefObject, useRef, useState } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { findRowElement } from "./table/row-element.ts";

export interface CopySheetState {
  /** What the menu is open for. */
  lock: Lock | null;
  anchor: RefObject<HTMLElement | null>;
  /** @param opener without it, by a key: the row itself */
  open(lock: Lock, opener?: HTMLElement): void;
  close(): void;
}

/** The menu that copies a row in one form or another. */
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
