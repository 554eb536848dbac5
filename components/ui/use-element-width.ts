"use client";

import { type RefObject, useLayoutEffect, useState } from "react";

/**
 * Returns the inner width of an element in pixels. The width is 0 until the element has been measured, which happens
 * before the browser paints.
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
