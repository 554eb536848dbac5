"use client";

import { useCallback, useEffect, useRef } from "react";

/**
 * The same function for every render, so that what gets it is not drawn again; it does what the latest one does. For
 * what follows a click or a key, never while rendering.
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
