import type { LiveRows, LiveWindow } from "@/lib/contract/live.ts";

/**
 * Returns the window with the row changes applied, or `undefined` if a change refers to a row that is not in the
 * window.
 */
export function applyRowChanges(
  before: LiveWindow,
  { now, total, held, rows }: LiveRows,
): LiveWindow | undefined {
  const items = rows.map(({ from, lock }, at) => lock ?? before.items[from ?? at]);
  const whole = items.filter((lock) => lock !== undefined);
  return whole.length === rows.length ? { ...before, now, total, held, items: whole } : undefined;
}
