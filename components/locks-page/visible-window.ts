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
