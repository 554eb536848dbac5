/**
 * Where somebody was in the list of locks, for the way back: what was searched for, and how far down. Of this tab and
 * until it is loaded anew; the search itself stands in the address as well.
 */
interface ListPosition {
  /** As in the address: `?q=…`, or "". */
  search: string;
  top: number;
}

let lastPosition: ListPosition = { search: "", top: 0 };

export function rememberListPosition(kept: Partial<ListPosition>): void {
  lastPosition = { ...lastPosition, ...kept };
}

/** @param target of the page that leads back; a list of another target is another list */
export function buildListHref(target: string | undefined): string {
  const kept = new URLSearchParams(lastPosition.search).get("target") ?? undefined;
  if (kept === target) return `/${lastPosition.search}`;
  return target === undefined ? "/" : `/?target=${encodeURIComponent(target)}`;
}

/** How far down the list of this address was; 0: it is another one. */
export function getListScrollTop(search: string): number {
  return getListId(search) === getListId(lastPosition.search) ? lastPosition.top : 0;
}

/** The row in hand and whatever else is in the address make no other list. */
function getListId(search: string): string {
  const query = new URLSearchParams(search);
  return ["target", "q", "sort"].map((name) => query.get(name) ?? "").join("\n");
}
