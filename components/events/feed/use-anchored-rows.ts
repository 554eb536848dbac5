"use client";

import { type RefObject, useLayoutEffect, useRef, useState } from "react";

const OVERSCAN = 12;

interface AnchoredRows {
  /** The rendered rows are those from index `first` to `end`, exclusive. */
  readonly first: number;
  readonly end: number;
  /** Whether the first row is visible. */
  readonly isAtTop: boolean;
  /** Whether the last scroll was upwards. */
  readonly isGoingUp: boolean;
  readonly onScroll: () => void;
  /** Scrolls a row into view. */
  show(index: number): void;
  toTop(): void;
}

/**
 * Computes the visible rows of a list with rows of equal height. Rows keep their position on screen when rows above are
 * added or removed. With `follows`, new rows appear at the top instead.
 */
export function useAnchoredRows(
  scroller: RefObject<HTMLElement | null>,
  ids: readonly { readonly id: string }[],
  rowPx: number,
  follows: boolean,
): AnchoredRows {
  const [view, setView] = useState({ top: 0, height: 0, isGoingUp: false });
  const anchor = useRef<{ id: string; beyondPx: number }>(undefined);
  // Scrolling requested the last page before the live events, so adding it must not scroll to the top.
  const followed = useRef(follows);
  const take = (top: number) => {
    // Placeholders for loading rows follow the last row.
    const at = Math.min(Math.floor(top / rowPx), ids.length - 1);
    const id = ids[at]?.id;
    anchor.current = id === undefined ? undefined : { id, beyondPx: top - at * rowPx };
    setView((known) => ({
      top,
      height: scroller.current?.clientHeight ?? 0,
      isGoingUp: top === known.top ? known.isGoingUp : top < known.top,
    }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only added and removed rows move other rows
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const kept = anchor.current;
    const at = kept === undefined ? -1 : ids.findIndex(({ id }) => id === kept.id);
    const isFollowed = follows && followed.current && element.scrollTop < rowPx;
    followed.current = follows;
    if (kept !== undefined && at >= 0 && !isFollowed) element.scrollTop = at * rowPx + kept.beyondPx;
    take(element.scrollTop);
  }, [ids, rowPx]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setView((known) => ({ ...known, height: element.clientHeight })),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  const scrollTo = (top: number) => {
    const element = scroller.current;
    if (element === null) return;
    element.scrollTop = top;
    take(element.scrollTop);
  };
  return {
    first: Math.max(0, Math.min(ids.length, Math.floor(view.top / rowPx)) - OVERSCAN),
    end: Math.min(ids.length, Math.ceil((view.top + view.height) / rowPx) + OVERSCAN),
    isAtTop: view.top < rowPx,
    isGoingUp: view.isGoingUp,
    onScroll: () => take(scroller.current?.scrollTop ?? 0),
    show: (index) => {
      const element = scroller.current;
      if (element === null) return;
      const [top, bottom] = [index * rowPx, (index + 1) * rowPx];
      if (top < element.scrollTop) scrollTo(top);
      else if (bottom > element.scrollTop + element.clientHeight) scrollTo(bottom - element.clientHeight);
    },
    toTop: () => scrollTo(0),
  };
}
