"use client";

import { parseAsString, useQueryStates } from "nuqs";
import { useRef } from "react";
import { describeFilterError } from "@/lib/query/filter.ts";
import { FILTER_CHARACTERS_MAX } from "../../lib/contract/limits.ts";
import { LOCK_SORT_PATTERN } from "../../lib/contract/lock-sort.ts";
import { DEFAULT_SORT } from "./columns/columns.ts";

const PARSERS = {
  q: parseAsString.withDefault(""),
  sort: parseAsString.withDefault(DEFAULT_SORT),
  lock: parseAsString,
};

export interface ListUrl {
  filter: string;
  /** What is wrong with the filter, which nothing is asked with then. */
  fault: string | undefined;
  sort: string;
  /** Path form of the row that has the keyboard. */
  focusedPath: string | null;
  setFilter(filter: string): void;
  setSort(sort: string): void;
  focusRow(path: string | null): void;
  /** When the address says what was selected last: a page that is opened before is written over. */
  settled(): Promise<unknown>;
}

/** Filter, order and selected row live in the URL: a link shows what its sender saw. */
export function useListUrl(): ListUrl {
  const [{ q, sort, lock }, set] = useQueryStates(PARSERS);
  const written = useRef<Promise<unknown>>(Promise.resolve());
  // The URL is anybody's: what the server would refuse is not sent to it.
  const filter = q.slice(0, FILTER_CHARACTERS_MAX);
  return {
    filter,
    fault: describeFilterError(filter),
    sort: LOCK_SORT_PATTERN.test(sort) ? sort : DEFAULT_SORT,
    focusedPath: lock,
    setFilter: (next) => void set({ q: next === "" ? null : next }),
    setSort: (next) => void set({ sort: next }),
    focusRow(path) {
      written.current = set({ lock: path });
    },
    settled: () => written.current,
  };
}
