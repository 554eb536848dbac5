"use client";

import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useRef } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import type { LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { RowEnding } from "../frozen-rows/frozen-list.ts";
import { findRowElement } from "./row-element.ts";

interface RowShortcuts {
  scroller: RefObject<HTMLElement | null>;
  window: LiveWindow;
  focusedPath: string | null;
  /** How the holds of rows ended, by lock path. These rows cannot be selected or released. */
  ends: ReadonlyMap<string, RowEnding>;
  rows: Virtualizer<HTMLElement, Element>;
  focusRow(path: string): void;
  open(lock: Lock): void;
  releaseLock(lock: Lock): void;
  toggleSelected(lock: Lock, extend: boolean): void;
  copy(lock: Lock): void;
}

/**
 * Handles the keyboard shortcuts of the table. `j`, `k` and the arrow keys move to another row, Enter opens the lock,
 * `r` opens the release dialog, `x` toggles the selection and `c` opens the copy menu.
 */
export function useRowShortcuts({
  scroller,
  window,
  focusedPath,
  ends,
  rows,
  focusRow,
  open,
  releaseLock,
  toggleSelected,
  copy,
}: RowShortcuts): void {
  const wanted = useRef<string | null>(null);
  // A row can receive the focus only after it has been scrolled into view and rendered.
  useEffect(() => {
    if (wanted.current === null) return;
    const row = findRowElement(scroller.current, wanted.current);
    if (row !== undefined) row.focus({ preventScroll: true });
    else if (window.items.some((lock) => toLockPath(lock) === wanted.current)) return;
    wanted.current = null;
  });

  // Key presses can arrive faster than `focusedPath` changes, and renders may skip or show rows in between.
  const { current: steps } = useRef<(string | null)[]>([]);
  useEffect(() => {
    // Keeps the steps after `focusedPath`. If another row was chosen, none is left.
    steps.splice(0, steps.indexOf(focusedPath) + 1 || steps.length);
  }, [focusedPath, steps]);
  const getCurrentPath = () => steps.at(-1) ?? focusedPath;
  const findCurrentIndex = () => window.items.findIndex((lock) => toLockPath(lock) === getCurrentPath());
  const findCurrentLock = () => window.items[findCurrentIndex()];
  const findHeldLock = () => (ends.has(getCurrentPath() ?? "") ? undefined : findCurrentLock());
  const step = (by: number) => (event: KeyboardEvent) => {
    event.preventDefault();
    const at = findCurrentIndex();
    const top = Math.ceil((rows.scrollOffset ?? 0) / (rows.options.estimateSize(0) || 1)) - window.offset;
    const next = window.items[at < 0 ? Math.max(0, top) : at + by];
    if (next === undefined) return;
    const path = toLockPath(next);
    wanted.current = path;
    steps.push(path);
    rows.scrollToIndex(window.offset + window.items.indexOf(next), { align: "auto" });
    focusRow(path);
  };
  useShortcuts({
    j: step(1),
    k: step(-1),
    arrowdown: step(1),
    arrowup: step(-1),
    x: (event) => {
      const lock = findHeldLock();
      if (lock !== undefined) toggleSelected(lock, event.shiftKey);
    },
    c: (event) => {
      const lock = findCurrentLock();
      if (lock === undefined) return;
      event.preventDefault();
      copy(lock);
    },
    r: (event) => {
      const lock = findHeldLock();
      if (lock === undefined) return;
      event.preventDefault();
      releaseLock(lock);
    },
    enter: ({ target }) => {
      const focused = target instanceof HTMLTableRowElement ? target.dataset.path : undefined;
      const isStepping = wanted.current !== null;
      const lock =
        isStepping || focused === undefined
          ? findCurrentLock()
          : window.items.find((one) => toLockPath(one) === focused);
      if (lock !== undefined && (isStepping || focused !== undefined || target === document.body)) open(lock);
    },
  });
}
