"use client";

import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();

function subscribeToFlag(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readStoredFlag(name: string, fallback: boolean): boolean {
  try {
    const stored = localStorage.getItem(name);
    return stored === null ? fallback : stored === "1";
  } catch {
    return fallback;
  }
}

/**
 * Returns a flag from `localStorage`, and a function that stores a new value.
 *
 * @param fallback the value to return on the server, and if no stored value can be read
 */
export function useStoredFlag(name: string, fallback: boolean): [boolean, (value: boolean) => void] {
  const value = useSyncExternalStore(
    subscribeToFlag,
    () => readStoredFlag(name, fallback),
    () => fallback,
  );
  const set = (next: boolean) => {
    try {
      localStorage.setItem(name, next ? "1" : "0");
    } catch {
      // The browser does not permit storage, so the flag keeps its previous value.
    }
    for (const listener of listeners) listener();
  };
  return [value, set];
}
