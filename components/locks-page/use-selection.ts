"use client";

import { useMemo, useRef, useState } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { Lock } from "@/lib/contract/lock.ts";

/** Rows that are ticked, to do the same to all of them. */
export interface LockSelection {
  /**
   * As each was seen when it was ticked, by its path; where all are ticked, those that are loaded. They stay ticked when
   * they are scrolled away, and when they change.
   */
  selected: ReadonlyMap<string, Lock>;
  /** `all`: all that match, loaded or not, and those that come later as well. */
  scope: "some" | "all";
  /** How many are ticked that are not loaded; of `some`. */
  outOfSight: number;
  /** Ticks a row or unticks it; with `extend`, all from the last one that was ticked up to it. */
  toggle(lock: Lock, extend: boolean): void;
  /** Ticks all rows that are loaded, or none if all of them are. */
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
    // Whoever takes one out of all means those that can be seen from then on.
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
