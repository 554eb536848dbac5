"use client";

import { parseAsString, useQueryStates } from "nuqs";

const PARSERS = { key: parseAsString };

/** The filter of the waits page in the URL: all waits, or only those that concern one lock. */
export function useWaitsUrl() {
  const [{ key }, set] = useQueryStates(PARSERS);
  return {
    lockKey: key ?? undefined,
    clear: () => void set({ key: null }),
  };
}
