import { tokenizeFilter } from "@/lib/query/filter.ts";

export type SystemViewId = "all" | "needsAttention" | "waited" | "noTtl" | "pastTypical";

export interface SystemView<Id extends string = SystemViewId | "unlisted"> {
  id: Id;
  /** The filter term of the view; "" for all locks. */
  term: string;
  /** Whether a count above 0 indicates a problem. If so, the tab highlights the count. */
  isWrong: boolean;
}

const ALL_VIEW: SystemView<SystemViewId> = { id: "all", term: "", isWrong: false };

/** The built-in views that have a tab, in the order of the tabs. */
export const SYSTEM_VIEWS: readonly SystemView<SystemViewId>[] = [
  ALL_VIEW,
  { id: "needsAttention", term: "is:needs_attention", isWrong: true },
  { id: "waited", term: "waiters>0", isWrong: false },
  { id: "noTtl", term: "liveness:no_ttl", isWrong: true },
  { id: "pastTypical", term: "held>typical", isWrong: false },
];

/** The view of unlisted locks, which all other views exclude. Shown as a chip if there are unlisted locks. */
export const UNLISTED_VIEW: SystemView = { id: "unlisted", term: "is:unlisted", isWrong: false };

const KNOWN_VIEWS: readonly SystemView[] = [...SYSTEM_VIEWS, UNLISTED_VIEW];
const VIEW_TERMS: ReadonlySet<string> = new Set(KNOWN_VIEWS.map(({ term }) => term));

/** Returns the view of the first view term in the filter; the view of all locks if the filter has no such term. */
export function findSystemView(filter: string): SystemView {
  const found = tokenizeFilter(filter).find(({ word }) => VIEW_TERMS.has(word));
  return KNOWN_VIEWS.find(({ term }) => term === found?.word) ?? ALL_VIEW;
}

/** Returns the filter without the terms of built-in views. */
export function removeViewTerms(filter: string): string {
  return tokenizeFilter(filter)
    .map(({ word }) => word)
    .filter((word) => !VIEW_TERMS.has(word))
    .join(" ");
}

/** Returns the filter with the term of the given built-in view instead of the terms of other built-in views. */
export function addViewTerms(filter: string, { term }: SystemView): string {
  return [term, removeViewTerms(filter)].filter((part) => part !== "").join(" ");
}

/**
 * Returns the number on the chip for unlisted locks. In the view of unlisted locks, returns the total of `window`, or
 * `undefined` until the list has loaded. In any other view, returns `unlisted`, or `undefined` during a search, because
 * the number of unlisted locks that match the search is not known.
 */
export function getUnlistedCount(
  filter: string,
  window: { readonly total: number } | undefined,
  unlisted: number,
): number | undefined {
  if (findSystemView(filter) === UNLISTED_VIEW) return window?.total;
  return removeViewTerms(filter) === "" ? unlisted : undefined;
}

/**
 * Returns the filters of all built-in views that have a tab, each combined with the current search, in the order of the
 * tabs.
 */
export function listViewFilters(filter: string): string[] {
  const here = findSystemView(filter);
  return SYSTEM_VIEWS.map((view) => (view === here ? filter : addViewTerms(filter, view)));
}
