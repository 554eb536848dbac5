"use client";

import { type RefObject, useLayoutEffect, useState } from "react";

/** How wide the inside of an element is, in pixels; 0 until it is there, which no picture shows. */
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
