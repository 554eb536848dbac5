import { wordsOfFilter } from "@/lib/contract/filter.ts";
import type { Totals } from "@/lib/contract/stats.ts";

export interface SystemView {
  name: string;
  /** The word of a filter that it is; "" for all locks. */
  word: string;
  /** Whether it is wrong when there are any. */
  isWrong: boolean;
}

const ALL: SystemView = { name: "All", word: "", isWrong: false };

/** The questions that everybody asks, in the words of the API. */
export const SYSTEM_VIEWS: readonly SystemView[] = [
  ALL,
  { name: "Abnormal now", word: "is:abnormal", isWrong: true },
  { name: "Waited for", word: "waiters>0", isWrong: false },
  { name: "No expiry", word: "verdict:no-expiry", isWrong: true },
  { name: "Held past usual", word: "held>usual", isWrong: false },
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

export interface CountsFrom {
  filter: string;
  /** What the live stream tells of this filter; undefined: nothing yet. */
  window: { total: number; held: number } | undefined;
  totals: Totals | undefined;
}

/** How many locks a view has, where that is known without asking; undefined: it is not. */
export function countOf(view: SystemView, { filter, window, totals }: CountsFrom): number | undefined {
  if (view === viewOf(filter)) return window?.total;
  // All other figures are of the whole target, and the search goes along to the view.
  if (withoutView(filter) !== "") return undefined;
  if (view === ALL) return window?.held;
  if (view.word === "is:abnormal") return totals?.abnormal;
  if (view.word !== "verdict:no-expiry") return undefined;
  return totals?.byVerdict.find(({ verdict }) => verdict === "no-expiry")?.held;
}
