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
  const findLock = (path: string | null) => window.items.find((lock) => toLockPath(lock) === path);
  // A row can receive the focus only after it has been scrolled into view and rendered.
  useEffect(() => {
    if (wanted.current === null) return;
    const row = findRowElement(scroller.current, wanted.current);
    if (row === undefined && findLock(wanted.current)) return;
    row?.focus({ preventScroll: true });
    wanted.current = null;
  });

  // Key presses can arrive faster than `focusedPath` changes, and renders may skip or show rows in between.
  const { current: steps } = useRef<(string | null)[]>([]);
  useEffect(() => {
    // Keeps the steps after `focusedPath`. If another row was chosen, none is left.
    steps.splice(0, steps.indexOf(focusedPath) + 1 || steps.length);
  }, [focusedPath, steps]);
  const getCurrentPath = () => steps.at(-1) ?? focusedPath;
  const findCurrentLock = () => findLock(getCurrentPath());
  const findHeldLock = () => (ends.has(getCurrentPath() ?? "") ? undefined : findCurrentLock());
  const step = (by: number) => (event: KeyboardEvent) => {
    event.preventDefault();
    const current = findCurrentLock();
    const top = Math.ceil((rows.scrollOffset ?? 0) / (rows.options.estimateSize(0) || 1)) - window.offset;
    const next = window.items[current ? window.items.indexOf(current) + by : Math.max(0, top)];
    if (next === undefined) return;
    const path = toLockPath(next);
    wanted.current = path;
    steps.push(path);
    rows.scrollToIndex(window.offset + window.items.indexOf(next), { align: "auto" });
    focusRow(path);
  };
  const actOn =
    (findRow: () => Lock | undefined, act: (lock: Lock, event: KeyboardEvent) => void) =>
    (event: KeyboardEvent) => {
      const lock = findRow();
      if (lock === undefined) return;
      event.preventDefault();
      act(lock, event);
    };
  useShortcuts({
    j: step(1),
    k: step(-1),
    arrowdown: step(1),
    arrowup: step(-1),
    x: actOn(findHeldLock, (lock, { shiftKey }) => toggleSelected(lock, shiftKey)),
    c: actOn(findCurrentLock, (lock) => copy(lock)),
    r: actOn(findHeldLock, (lock) => releaseLock(lock)),
    enter: ({ target }) => {
      const focused = target instanceof HTMLTableRowElement ? target.dataset.path : undefined;
      const isStepping = wanted.current !== null;
      const lock = isStepping || focused === undefined ? findCurrentLock() : findLock(focused);
      if (lock !== undefined && (isStepping || focused !== undefined || target === document.body)) open(lock);
    },
  });
}
