"use client";

import { type RefObject, useRef, useState } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { findRowElement } from "./table/row-element.ts";

export interface ReleaseSheetState {
  /** The lock whose release dialog is open; `null` if the dialog is closed. */
  lock: Lock | null;
  open(lock: Lock): void;
  close(): void;
  /**
   * Returns the element that receives the focus when the dialog closes: the row of the lock, the row that is now in its
   * place, or the list if it has no rows. Returns `null` if the list is not rendered.
   */
  backToRow(): HTMLElement | null;
}

export function useReleaseSheet(
  place: RefObject<HTMLElement | null>,
  items: readonly Lock[],
): ReleaseSheetState {
  const [lock, setLock] = useState<Lock | null>(null);
  const from = useRef({ path: "", index: 0 });
  return {
    lock,
    open(next) {
      const path = toLockPath(next);
      from.current = { path, index: items.findIndex((one) => toLockPath(one) === path) };
      setLock(next);
    },
    close: () => setLock(null),
    backToRow() {
      const rows = place.current?.querySelectorAll<HTMLElement>("tr[data-path]") ?? [];
      const row = findRowElement(place.current, from.current.path);
      const neighbor = rows[Math.min(from.current.index, rows.length - 1)];
      return row ?? neighbor ?? place.current?.querySelector("section") ?? null;
    },
  };
}
