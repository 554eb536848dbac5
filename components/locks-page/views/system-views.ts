import type { Totals } from "@/lib/contract/stats.ts";
import { wordsOfFilter } from "@/lib/query/filter.ts";

export type SystemViewId = "all" | "abnormal" | "waited" | "noExpiry" | "pastUsual";

export interface SystemView {
  id: SystemViewId;
  /** The word of a filter that it is; "" for all locks. */
  word: string;
  /** Whether it is wrong when there are any. */
  isWrong: boolean;
}

const ALL: SystemView = { id: "all", word: "", isWrong: false };

/** The questions that everybody asks, in the words of the API. */
export const SYSTEM_VIEWS: readonly SystemView[] = [
  ALL,
  { id: "abnormal", word: "is:abnormal", isWrong: true },
  { id: "waited", word: "waiters>0", isWrong: false },
  { id: "noExpiry", word: "verdict:no-expiry", isWrong: true },
  { id: "pastUsual", word: "held>usual", isWrong: false },
];

const WORDS: ReadonlySet<string> = new Set(SYSTEM_VIEWS.map(({ word }) => word));

/** The first view that a filter has the word of. */
export function viewOf(filter: string): SystemView {
  const found = wordsOfFilter(filter).find(({ word }) => WORDS.has(word));
  return SYSTEM_VIEWS.find(({ word }) => word === found?.word) ?? ALL;
}

/** What is searched for beside the view. */
export function withoutView(filter: string): string {
  return wordsOfFilter(filter)
    .map(({ word }) => word)
    .filter((word) => !WORDS.has(word))
    .join(" ");
}

/** The same search among the locks of another view. */
export function withView(filter: string, { word }: SystemView): string {
  return [word, withoutView(filter)].filter((part) => part !== "").join(" ");
}

/** Views whose figure nobody tells by the way: they are asked for. */
export const ASKED_FOR = SYSTEM_VIEWS.filter(({ id }) => id === "waited" || id === "pastUsual");

export interface CountsFrom {
  filter: string;
  /** What the live stream tells of this filter; undefined: nothing yet. */
  window: { total: number; held: number } | undefined;
  totals: Totals | undefined;
  /** Of `ASKED_FOR`, in its order. */
  asked: readonly (number | undefined)[];
}

/** How many locks a view has; undefined: it is not known. */
export function countOf(view: SystemView, { filter, window, totals, asked }: CountsFrom): number | undefined {
  if (view === viewOf(filter)) return window?.total;
  // All other figures are of the whole target, and the search goes along to the view.
  if (withoutView(filter) !== "") return undefined;
  if (view.id === "all") return window?.held;
  if (view.id === "abnormal") return totals?.abnormal;
  if (view.id === "noExpiry") return totals?.byVerdict.find(({ verdict }) => verdict === "no-expiry")?.held;
  return asked[ASKED_FOR.indexOf(view)];
}
