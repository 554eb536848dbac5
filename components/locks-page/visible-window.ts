export const WINDOW_ROWS = 100;
/**
 * Number of rows in the first window of the stream. A larger window would contain rows below the visible area, which
 * would delay the visible rows.
 */
const FIRST_WINDOW_ROWS = 50;
const MARGIN_ROWS = 10;
const STEP_ROWS = 10;

/**
 * Returns the offset of a window that contains the visible rows. Keeps the current offset `present` if its window
 * contains the visible rows and `MARGIN_ROWS` rows on each side.
 */
export function computeWindowOffset(first: number, last: number, total: number, present: number): number {
  const from = Math.max(0, first - MARGIN_ROWS);
  const to = Math.min(total - 1, last + MARGIN_ROWS);
  if (from >= present && to < present + WINDOW_ROWS) return present;
  const spare = Math.max(0, WINDOW_ROWS - (last - first + 1));
  return Math.max(0, Math.floor((first - spare / 2) / STEP_ROWS) * STEP_ROWS);
}

/**
 * Returns the number of rows to stream: `FIRST_WINDOW_ROWS` if the first row is visible and the visible rows with their
 * margin fit into that number, otherwise `WINDOW_ROWS`.
 */
export function computeWindowLimit(first: number, last: number): number {
  return first === 0 && last + MARGIN_ROWS < FIRST_WINDOW_ROWS ? FIRST_WINDOW_ROWS : WINDOW_ROWS;
}
