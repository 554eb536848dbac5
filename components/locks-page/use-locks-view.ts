"use client";

import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { rememberListPosition } from "@/components/app/list-return.ts";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { useIsReading } from "@/components/ui/use-is-reading.ts";
import { useWindowSubscription } from "@/lib/live/hooks.ts";
import { useLockWindow } from "@/lib/live/live-cache.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { DEFAULT_SORT } from "./columns/column-sorts.ts";
import { type FrozenRows, useFrozenRows, usePinnedPaths } from "./frozen-rows/use-frozen-rows.ts";
import { type ListUrl, useListUrl } from "./use-list-url.ts";
import { computeWindowLimit, computeWindowOffset } from "./visible-window.ts";

export interface LocksView
  extends Pick<ListUrl, "filter" | "fault" | "sort" | "focusedPath" | "focusRow" | "settled"> {
  table: FrozenRows;
  /**
   * Sets the visible rows, from `first` to `last`, as indexes into the whole list. The stream then sends these rows and
   * the rows around them.
   */
  showRows(first: number, last: number): void;
  setFilter(filter: string): void;
  setSort(sort: string): void;
  /** Changes the filter and the sort order, scrolls to the top and resumes a paused list. */
  show(filter: string, sort: string): void;
}

/** Returns the rows for the current URL and scroll position, and functions that change what the list shows. */
export function useLocksView(place: RefObject<HTMLElement | null>): LocksView {
  const url = useListUrl();
  useRememberedSearch(url);
  const [offset, setOffset] = useState(0);
  const [limit, setLimit] = useState(() => computeWindowLimit(0, 0));
  const visible = useRef<readonly [number, number]>([0, 0]);
  const isReading = useIsReading(place);
  const table = useFrozenRows({ latest: useLockWindow(), isReading, visible });
  const pinnedPaths = usePinnedPaths(
    isReading || table.paused ? table.window?.items.map(toLockPath) : undefined,
  );
  useWindowSubscription({
    filter: url.fault === undefined ? url.filter : "",
    sort: url.sort,
    offset,
    limit,
    keep: pinnedPaths,
  });
  const total = table.window?.total ?? 0;
  const showRows = useCallback(
    (first: number, last: number) => {
      visible.current = [first, last];
      setLimit((present) => Math.max(present, computeWindowLimit(first, last)));
      setOffset((present) => computeWindowOffset(first, last, total, present));
    },
    [total],
  );
  /** Scrolls to the top and resumes a paused list. Called when a different list is opened. */
  const fromTop = () => {
    table.resume();
    setOffset(0);
    place.current?.querySelector("section")?.scrollTo({ top: 0 });
  };
  return {
    ...url,
    table,
    showRows,
    setFilter(filter) {
      fromTop();
      url.setFilter(filter);
    },
    setSort(sort) {
      fromTop();
      url.setSort(sort);
    },
    show(filter, sort) {
      fromTop();
      url.setFilter(filter);
      url.setSort(sort);
    },
  };
}

/** Remembers the search in the URL. Other pages link back to this search (see `buildListHref`). */
function useRememberedSearch({ filter, sort, focusedPath }: ListUrl): void {
  const target = useTargetName();
  useEffect(() => {
    const query = new URLSearchParams();
    if (target !== undefined) query.set("target", target);
    if (filter !== "") query.set("q", filter);
    if (sort !== DEFAULT_SORT) query.set("sort", sort);
    if (focusedPath !== null) query.set("lock", focusedPath);
    rememberListPosition({ search: query.size === 0 ? "" : `?${query}` });
  }, [filter, sort, focusedPath, target]);
}
