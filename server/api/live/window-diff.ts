export interface RowWindow {
  readonly filter: string;
  readonly sort: string;
  readonly offset: number;
  readonly total: number;
  readonly held: number;
  /** JSON of the lock in each row. */
  readonly rows: readonly string[];
}

/**
 * Builds the message that changes one window into another. The message contains the locks of the changed rows, or of
 * all rows if more than half have changed, if the offset differs, or if `before` is `undefined`. Returns `undefined` if
 * the windows differ at most in counts.
 */
export function diffWindows(
  before: RowWindow | undefined,
  after: RowWindow,
  now: number,
): { name: "window" | "rows"; text: string } | undefined {
  if (before === undefined || before.offset !== after.offset)
    return { name: "window", text: formatWindow(after, now) };
  const places = findPlaces(before.rows, after.rows);
  if (places === undefined) return undefined;
  const fresh = places.filter((place) => place.startsWith(CHANGED_PREFIX)).length;
  if (fresh > after.rows.length / 2) return { name: "window", text: formatWindow(after, now) };
  return { name: "rows", text: `{${formatCountFields(after, now)},"rows":[${places.join(",")}]}` };
}

/** Formats a `rows` message that changes only the counts. */
export function formatCounts(window: RowWindow, now: number): string {
  return `{${formatCountFields(window, now)},"rows":[${window.rows.map(() => SAME_PLACE).join(",")}]}`;
}

function formatWindow(window: RowWindow, now: number): string {
  return `{"filter":${JSON.stringify(window.filter)},"sort":${JSON.stringify(window.sort)},"offset":${window.offset},${formatCountFields(window, now)},"items":[${window.rows.join(",")}]}`;
}

const formatCountFields = ({ total, held }: RowWindow, now: number) =>
  `"now":${now},"total":${total},"held":${held}`;

const SAME_PLACE = "{}";
const CHANGED_PREFIX = '{"lock":';

/**
 * Returns a `LiveRow` in JSON for each row of `after`, or `undefined` if no row was changed, moved, added or removed.
 */
function findPlaces(before: readonly string[], after: readonly string[]): string[] | undefined {
  if (before.length === after.length && after.every((row, at) => row === before[at])) return undefined;
  const placeOf = new Map(before.map((row, at) => [row, at]));
  return after.map((row, at) => {
    if (row === before[at]) return SAME_PLACE;
    const from = placeOf.get(row);
    return from === undefined ? `${CHANGED_PREFIX}${row}}` : `{"from":${from}}`;
  });
}
