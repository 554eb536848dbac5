"use client";

import { useMemo, useRef, useState } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { Lock } from "@/lib/contract/lock.ts";

/** The selection of locks for a bulk action. */
export interface LockSelection {
  /**
   * The selected locks by path, each in its state at the time of selection. Locks stay selected when they change or
   * leave the window. If `scope` is `all`, the map contains only the loaded locks, in their current state.
   */
  selected: ReadonlyMap<string, Lock>;
  /**
   * What is selected. `some`: the locks in `selected`. `all`: all matching locks, including locks that are not loaded
   * and locks that appear later.
   */
  scope: "some" | "all";
  /** Number of selected locks that are not loaded; 0 if `scope` is `all`. */
  unloadedCount: number;
  /** Toggles the selection of a row. If `extend` is `true`, selects all rows from the last toggled row to this row. */
  toggle(lock: Lock, extend: boolean): void;
  /** Selects all loaded rows. If all of them are already selected, deselects them. */
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
  const unloadedCount = useMemo(() => {
    if (which === "all" || some.size === 0) return 0;
    const loaded = new Set(items.map(toLockPath));
    return [...some.keys()].filter((path) => !loaded.has(path)).length;
  }, [which, some, items]);
  const set = (locks: readonly Lock[], on: boolean) => {
    // If `scope` is `all`, deselecting a row limits the selection to the loaded rows.
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
    unloadedCount,
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
