/**
 * The CSS classes of the grid for the rows that the server renders and for their placeholder. Wide windows show all
 * primary columns of the table, and narrow windows show fewer.
 */
export const FIRST_ROWS_GRID =
  "grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 px-3 sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)_96px_112px] sm:pl-10 lg:grid-cols-[minmax(180px,3fr)_minmax(110px,2fr)_48px_92px_76px_112px_52px] lg:gap-x-2 lg:pr-24";
export const FIRST_ROWS_BOX =
  "isolate min-h-0 flex-1 overflow-x-hidden overflow-y-auto rounded-t-[10px] border border-b-0 border-line bg-panel sm:[scrollbar-gutter:stable]";
