"use client";

import { type RefObject, useLayoutEffect, useRef, useState } from "react";

const OVERSCAN = 12;

interface AnchoredRows {
  /** The first row that is drawn, and the one behind the last. */
  readonly first: number;
  readonly end: number;
  /** Whether the first row can be seen. */
  readonly isAtTop: boolean;
  /** Whether one scrolled up last. */
  readonly isGoingUp: boolean;
  readonly onScroll: () => void;
  /** Brings a row into view. */
  show(index: number): void;
  toTop(): void;
}

/**
 * The rows of a list that can be seen, all of one height. Rows keep their place on screen when others come or go above
 * them, unless `follows`: then the newest come in at the top.
 */
export function useAnchoredRows(
  scroller: RefObject<HTMLElement | null>,
  ids: readonly { readonly id: string }[],
  rowPx: number,
  follows: boolean,
): AnchoredRows {
  const [view, setView] = useState({ top: 0, height: 0, isGoingUp: false });
  const anchor = useRef<{ id: string; beyondPx: number }>(undefined);
  // The page that joins what is loaded to now is still one that was asked for.
  const followed = useRef(follows);
  const take = (top: number) => {
    // Below the last one stand the places of those that are on their way.
    const at = Math.min(Math.floor(top / rowPx), ids.length - 1);
    const id = ids[at]?.id;
    anchor.current = id === undefined ? undefined : { id, beyondPx: top - at * rowPx };
    setView((known) => ({
      top,
      height: scroller.current?.clientHeight ?? 0,
      isGoingUp: top === known.top ? known.isGoingUp : top < known.top,
    }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come or go are all that moves others
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
