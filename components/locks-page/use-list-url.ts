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
  /** The path of the row that has the keyboard focus. */
  focusedPath: string | null;
  setFilter(filter: string): void;
  setSort(sort: string): void;
  focusRow(path: string | null): void;
  /** Resolves once the last selection is in the URL. A page that opens before that replaces the history entry. */
  settled(): Promise<unknown>;
}

/** Keeps the filter, sort order and selected row in the URL. A link to the page therefore shows the same list. */
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
