"use client";

import { useCallback, useEffect, useRef } from "react";

/**
 * Returns a function that stays the same in every render and calls the latest handler. Memoized components that receive
 * the function are not rendered again when the handler changes. Call the function only in response to events, never
 * while rendering.
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
