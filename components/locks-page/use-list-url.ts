"use client";

import { parseAsString, useQueryStates } from "nuqs";
import { useRef } from "react";
import { DEFAULT_SORT } from "./columns/column-sorts.ts";
import { type ListQuery, parseListUrl } from "./list-url.ts";

const PARSERS = {
  q: parseAsString.withDefault(""),
  sort: parseAsString.withDefault(DEFAULT_SORT),
  lock: parseAsString,
};

export interface ListUrl extends ListQuery {
  /** The lock path of the active row; `null` if no row is active. */
  focusedPath: string | null;
  setFilter(filter: string): void;
  setSort(sort: string): void;
  focusRow(path: string | null): void;
  /**
   * Returns a promise that resolves when the URL contains the row of the last `focusRow` call. Await the promise before
   * you open another page. A page that opens earlier replaces the history entry of the list.
   */
  settled(): Promise<unknown>;
}

/** Keeps the filter, sort order and active row in the URL, so that a link to the page shows the same list. */
export function useListUrl(): ListUrl {
  const [{ q, sort, lock }, set] = useQueryStates(PARSERS);
  const written = useRef<Promise<unknown>>(Promise.resolve());
  return {
    ...parseListUrl(q, sort),
    focusedPath: lock,
    setFilter: (next) => void set({ q: next === "" ? null : next }),
    setSort: (next) => void set({ sort: next }),
    focusRow(path) {
      written.current = set({ lock: path });
    },
    settled: () => written.current,
  };
}
