"use client";

import { useCallback, useEffect, useRef } from "react";

/**
 * Returns the same function for every render, so that components that receive it do not rerender. It calls the latest
 * handler. Use it for event handlers only, never while rendering.
 */
export function useEventCallback<Given extends unknown[]>(
  act: (...given: Given) => void,
): (...given: Given) => void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  return useCallback((...given) => latest.current(...given), []);
}
