import { pathOf } from "@/components/lock/lock-facts.ts";
import type { LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";

export const WINDOW_ROWS = 100;
const MARGIN = 10;
const STEP = 10;

/** The offset whose window holds the rows on screen; the present one for as long as it does. */
export function offsetFor(first: number, last: number, total: number, present: number): number {
  const from = Math.max(0, first - MARGIN);
  const to = Math.min(total - 1, last + MARGIN);
  if (from >= present && to < present + WINDOW_ROWS) return present;
  const spare = Math.max(0, WINDOW_ROWS - (last - first + 1));
  return Math.max(0, Math.floor((first - spare / 2) / STEP) * STEP);
}

/** How many rows look different: came, went, or belong to another hold or count now. */
export function changesBetween(frozen: LiveWindow, latest: LiveWindow): number {
  const before = new Map(frozen.items.map((lock) => [pathOf(lock), lock]));
  let changes = 0;
  for (const lock of latest.items) {
    const path = pathOf(lock);
    const old = before.get(path);
    before.delete(path);
    if (old === undefined || !sameHold(old, lock)) changes += 1;
  }
  return changes + before.size;
}

function sameHold(a: Lock, b: Lock): boolean {
  return a.version === b.version && a.holders[0]?.count === b.holders[0]?.count;
}
