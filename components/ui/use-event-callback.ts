"use client";

import { useCallback, useEffect, useRef } from "react";

/**
 * Returns the same function for every render, which calls the latest handler. Components that receive the function do
 * not render again. Use it for event handlers only, never while rendering.
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
