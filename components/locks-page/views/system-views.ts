import type { Totals } from "@/lib/contract/stats.ts";
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

/** Views whose figure nobody tells by the way: they are asked for. */
export const COUNTED_BY_QUERY = SYSTEM_VIEWS.filter(({ id }) => id === "waited" || id === "pastTypical");

export interface CountSources {
  filter: string;
  /** What the live stream tells of this filter; undefined: nothing yet. */
  window: { total: number; held: number } | undefined;
  totals: Totals | undefined;
  /** Of `ASKED_FOR`, in its order. */
  queryCounts: readonly (number | undefined)[];
}

/** How many unlisted locks the chip shows; undefined: not known beside a search. */
export function getUnlistedCount(
  filter: string,
  window: CountSources["window"],
  unlisted: number,
): number | undefined {
  if (findSystemView(filter) === UNLISTED_VIEW) return window?.total;
  return removeViewTerms(filter) === "" ? unlisted : undefined;
}

/** How many locks a view has; undefined: it is not known. */
export function getViewCount(
  view: SystemView,
  { filter, window, totals, queryCounts }: CountSources,
): number | undefined {
  if (view === findSystemView(filter)) return window?.total;
  // All other figures are of the whole target, and the search goes along to the view.
  if (removeViewTerms(filter) !== "") return undefined;
  if (view.id === "all") return window?.held;
  if (view.id === "needsAttention") return totals?.needsAttention;
  if (view.id === "noTtl") return totals?.byLiveness.find(({ liveness }) => liveness === "no_ttl")?.held;
  return queryCounts[COUNTED_BY_QUERY.findIndex(({ id }) => id === view.id)];
}
