/**
 * The last position in the list of locks: search and scroll offset. Links back to the list use it. Each browser tab has
 * its own position, and a reload resets it.
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
 * Builds the link back to the list. Includes the last search if it was on the same target.
 *
 * @param target the target of the page with the link
 */
export function buildListHref(target: string | undefined): string {
  const kept = new URLSearchParams(lastPosition.search).get("target") ?? undefined;
  if (kept === target) return `/${lastPosition.search}`;
  return target === undefined ? "/" : `/?target=${encodeURIComponent(target)}`;
}

/** Returns the scroll offset of the list at this URL; 0 for a different list. */
export function getListScrollTop(search: string): number {
  return getListId(search) === getListId(lastPosition.search) ? lastPosition.top : 0;
}

/**
 * Returns a string that identifies the list at a URL, from its target, search and sort order. Ignores other parameters,
 * such as the active row.
 */
function getListId(search: string): string {
  const query = new URLSearchParams(search);
  return ["target", "q", "sort"].map((name) => query.get(name) ?? "").join("\n");
}
