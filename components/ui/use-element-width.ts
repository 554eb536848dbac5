"use client";

import { type RefObject, useLayoutEffect, useState } from "react";

/**
 * Returns the inner width of an element in pixels. Before the element is mounted, the result is 0; the browser never
 * paints that state.
 */
export function useElementWidth(element: RefObject<HTMLElement | null>): number {
  const [px, setPx] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = () => setPx(current.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return px;
}
