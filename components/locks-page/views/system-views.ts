import { tokenizeFilter } from "@/lib/query/filter.ts";

export type SystemViewId = "all" | "needsAttention" | "waited" | "noTtl" | "pastTypical";

export interface SystemView<Id extends string = SystemViewId | "unlisted"> {
  id: Id;
  /** The word of a filter that it is; "" for all locks. */
  term: string;
  /** Whether it is wrong when there are any. */
  isWrong: boolean;
}

const ALL_VIEW: SystemView<SystemViewId> = { id: "all", term: "", isWrong: false };

/** The questions that everybody asks, in the words of the API. */
export const SYSTEM_VIEWS: readonly SystemView<SystemViewId>[] = [
  ALL_VIEW,
  { id: "needsAttention", term: "is:needs_attention", isWrong: true },
  { id: "waited", term: "waiters>0", isWrong: false },
  { id: "noTtl", term: "liveness:no_ttl", isWrong: true },
  { id: "pastTypical", term: "held>typical", isWrong: false },
];

/** Possible locks that all other views leave out. It is a chip of its own, which is there when there are any. */
export const UNLISTED_VIEW: SystemView = { id: "unlisted", term: "is:unlisted", isWrong: false };

const KNOWN_VIEWS: readonly SystemView[] = [...SYSTEM_VIEWS, UNLISTED_VIEW];
const VIEW_TERMS: ReadonlySet<string> = new Set(KNOWN_VIEWS.map(({ term }) => term));

/** The first view that a filter has the word of. */
export function findSystemView(filter: string): SystemView {
  const found = tokenizeFilter(filter).find(({ word }) => VIEW_TERMS.has(word));
  return KNOWN_VIEWS.find(({ term }) => term === found?.word) ?? ALL_VIEW;
}

/** What is searched for beside the view. */
export function removeViewTerms(filter: string): string {
  return tokenizeFilter(filter)
    .map(({ word }) => word)
    .filter((word) => !VIEW_TERMS.has(word))
    .join(" ");
}

/** The same search among the locks of another view. */
export function addViewTerms(filter: string, { term }: SystemView): string {
  return [term, removeViewTerms(filter)].filter((part) => part !== "").join(" ");
}

/** How many unlisted locks the chip shows; undefined: not known beside a search. */
export function getUnlistedCount(
  filter: string,
  window: { readonly total: number } | undefined,
  unlisted: number,
): number | undefined {
  if (findSystemView(filter) === UNLISTED_VIEW) return window?.total;
  return removeViewTerms(filter) === "" ? unlisted : undefined;
}

/** The filter that each view shows, in their order: the search goes along to the view. */
export function listViewFilters(filter: string): string[] {
  const here = findSystemView(filter);
  return SYSTEM_VIEWS.map((view) => (view === here ? filter : addViewTerms(filter, view)));
}
