"use client";

import { parseAsString, useQueryStates } from "nuqs";
import { FILTER_CHARACTERS_MAX, LOCK_SORT_PATTERN } from "./list-limits.ts";

const PARSERS = {
  q: parseAsString.withDefault(""),
  sort: parseAsString.withDefault("key"),
  lock: parseAsString,
};

export interface ListUrl {
  filter: string;
  sort: string;
  /** Path form of the row that has the keyboard. */
  selected: string | null;
  setFilter(filter: string): void;
  setSort(sort: string): void;
  select(path: string | null): void;
}

/** Filter, order and selected row live in the URL: a link shows what its sender saw. */
export function useListUrl(): ListUrl {
  const [{ q, sort, lock }, set] = useQueryStates(PARSERS);
  return {
    // The URL is anybody's: what the server would refuse is not sent to it.
    filter: q.slice(0, FILTER_CHARACTERS_MAX),
    sort: LOCK_SORT_PATTERN.test(sort) ? sort : "key",
    selected: lock,
    setFilter: (filter) => void set({ q: filter === "" ? null : filter }),
    setSort: (next) => void set({ sort: next }),
    select: (path) => void set({ lock: path }),
  };
}
