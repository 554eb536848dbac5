"use client";

import { useRef, useState } from "react";
import { pathOf } from "@/components/lock/lock-facts.ts";
import type { Lock } from "@/lib/contract/lock.ts";

/** Rows that are ticked, to do the same to all of them. */
export interface Picking {
  /** As each was seen when it was ticked, by its path. */
  picked: ReadonlyMap<string, Lock>;
  /** Ticks a row or unticks it; with `extend`, all from the last one that was ticked up to it. */
  toggle(lock: Lock, extend: boolean): void;
  /** Ticks all rows that are loaded, or none if all of them are. */
  toggleAll(): void;
  clear(): void;
}

const NONE: ReadonlyMap<string, Lock> = new Map();

export function usePicking(items: readonly Lock[]): Picking {
  const [picked, setPicked] = useState(NONE);
  const anchor = useRef<string | null>(null);
  const set = (locks: readonly Lock[], on: boolean) => {
    const next = new Map(picked);
    for (const lock of locks) {
      if (!on) next.delete(pathOf(lock));
      else if (lock.version !== null) next.set(pathOf(lock), lock);
    }
    setPicked(next);
  };
  return {
    picked,
    toggle(lock, extend) {
      const path = pathOf(lock);
      const on = !picked.has(path);
      const from = extend ? items.findIndex((each) => pathOf(each) === anchor.current) : -1;
      const to = items.findIndex((each) => pathOf(each) === path);
      anchor.current = path;
      if (from < 0 || to < 0) return set([lock], on);
      set(items.slice(Math.min(from, to), Math.max(from, to) + 1), true);
    },
    toggleAll: () => set(items, !items.every((lock) => picked.has(pathOf(lock)))),
    clear: () => setPicked(NONE),
  };
}
