/**
 * The last search and scroll position in the list of locks. Links back to the list restore this position. Each browser
 * tab has its own position, and reloading the page resets the position.
 */
interface ListPosition {
  /** The query string of the URL, such as `?q=…`, or "". */
  search: string;
  top: number;
}

let lastPosition: ListPosition = { search: "", top: 0 };

export function rememberListPosition(kept: Partial<ListPosition>): void {
  lastPosition = { ...lastPosition, ...kept };
}

/**
 * Builds the URL of the list of locks for a link on another page. Includes the last search if that search was on the
 * same target.
 *
 * @param target the target of the page that shows the link
 */
export function buildListHref(target: string | undefined): string {
  const kept = new URLSearchParams(lastPosition.search).get("target") ?? undefined;
  if (kept === target) return `/${lastPosition.search}`;
  return target === undefined ? "/" : `/?target=${encodeURIComponent(target)}`;
}

/** Returns the last scroll offset in pixels if `search` identifies the same list as the last position; 0 otherwise. */
export function getListScrollTop(search: string): number {
  return getListId(search) === getListId(lastPosition.search) ? lastPosition.top : 0;
}

/**
 * Returns a string that identifies a list by the target, search and sort order in its URL. Ignores other parameters,
 * such as the active row.
 */
function getListId(search: string): string {
  const query = new URLSearchParams(search);
  return ["target", "q", "sort"].map((name) => query.get(name) ?? "").join("\n");
}
