export const WINDOW_ROWS = 100;
/** What the stream sends first. Rows that nobody scrolls to would delay those on the screen. */
const FIRST_WINDOW_ROWS = 50;
const MARGIN_ROWS = 10;
const STEP_ROWS = 10;

/** The offset whose window holds the rows on screen; the present one for as long as it does. */
export function computeWindowOffset(first: number, last: number, total: number, present: number): number {
  const from = Math.max(0, first - MARGIN_ROWS);
  const to = Math.min(total - 1, last + MARGIN_ROWS);
  if (from >= present && to < present + WINDOW_ROWS) return present;
  const spare = Math.max(0, WINDOW_ROWS - (last - first + 1));
  return Math.max(0, Math.floor((first - spare / 2) / STEP_ROWS) * STEP_ROWS);
}

/** How many rows the stream sends: fewer while the beginning of the list is on the screen. */
export function computeWindowLimit(first: number, last: number): number {
  return first === 0 && last + MARGIN_ROWS < FIRST_WINDOW_ROWS ? FIRST_WINDOW_ROWS : WINDOW_ROWS;
}
