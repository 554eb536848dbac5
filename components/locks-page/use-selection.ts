"use client";

import { useMemo, useRef, useState } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { Lock } from "@/lib/contract/lock.ts";

/** The rows selected for a bulk action. */
export interface LockSelection {
  /**
   * The selected rows by path, each as it was at the time of selection. If `scope` is `all`, contains only the loaded
   * rows. Rows stay selected when they change or leave the view.
   */
  selected: ReadonlyMap<string, Lock>;
  /** `all` selects all matching locks, including those that are not loaded and those that appear later. */
  scope: "some" | "all";
  /** Number of selected rows that are not loaded; only if `scope` is `some`. */
  outOfSight: number;
  /** Toggles the selection of a row. With `extend`, selects all rows between the last toggled row and this one. */
  toggle(lock: Lock, extend: boolean): void;
  /** Selects all loaded rows, or clears the selection if all of them are selected. */
  toggleAll(): void;
  selectAllMatching(): void;
  clear(): void;
}

type SelectedRows = { which: "some" | "all"; some: ReadonlyMap<string, Lock> };
const NO_SELECTION: SelectedRows = { which: "some", some: new Map() };

const indexByPath = (locks: readonly Lock[]): ReadonlyMap<string, Lock> =>
  new Map(locks.filter(({ version }) => version !== null).map((lock) => [toLockPath(lock), lock]));

export function useSelection(items: readonly Lock[]): LockSelection {
  const [selection, setSelection] = useState(NO_SELECTION);
  const anchor = useRef<string | null>(null);
  const { which, some } = selection;
  const selected = useMemo(() => (which === "all" ? indexByPath(items) : some), [which, some, items]);
  const outOfSight = useMemo(() => {
    if (which === "all" || some.size === 0) return 0;
    const loaded = new Set(items.map(toLockPath));
    return [...some.keys()].filter((path) => !loaded.has(path)).length;
  }, [which, some, items]);
  const set = (locks: readonly Lock[], on: boolean) => {
    // If all locks are selected, deselecting a row limits the selection to the loaded rows.
    const next = new Map(selected);
    for (const lock of locks) {
      if (!on) next.delete(toLockPath(lock));
      else if (lock.version !== null) next.set(toLockPath(lock), lock);
    }
    setSelection({ which: "some", some: next });
  };
  return {
    selected: selected,
    scope: which,
    outOfSight,
    toggle(lock, extend) {
      const path = toLockPath(lock);
      const on = !selected.has(path);
      const from = extend ? items.findIndex((each) => toLockPath(each) === anchor.current) : -1;
      const to = items.findIndex((each) => toLockPath(each) === path);
      anchor.current = path;
      if (from < 0 || to < 0) return set([lock], on);
      set(items.slice(Math.min(from, to), Math.max(from, to) + 1), true);
    },
    toggleAll: () => set(items, !items.every((lock) => selected.has(toLockPath(lock)))),
    selectAllMatching: () => setSelection({ which: "all", some: NO_SELECTION.some }),
    clear: () => setSelection(NO_SELECTION),
  };
}
