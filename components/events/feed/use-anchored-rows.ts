"use client";

import { type RefObject, useLayoutEffect, useRef, useState } from "react";

const OVERSCAN = 12;

interface AnchoredRows {
  /** Index of the first row to render. `end` is the index after the last row to render. */
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
 * Computes the visible rows of a list with rows of equal height. When rows above are added or removed, the visible rows
 * keep their positions on the screen. If `follows` is set and the list is at the top, new rows appear at the top
 * instead.
 */
export function useAnchoredRows(
  scroller: RefObject<HTMLElement | null>,
  ids: readonly { readonly id: string }[],
  rowPx: number,
  follows: boolean,
): AnchoredRows {
  const [view, setView] = useState({ top: 0, height: 0, isGoingUp: false });
  const anchor = useRef<{ id: string; beyondPx: number }>(undefined);
  // Whether `follows` was set when the rows last changed. The page that connects the history to the live events sets
  // `follows`. Adding that page must not scroll to the top.
  const followed = useRef(follows);
  const take = (top: number) => {
    // The scroll position can be below the last row, where the placeholders are.
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
