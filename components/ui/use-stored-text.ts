"use client";

import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
/** Values that the browser could not store. They last until the page is closed. */
const memoryValues = new Map<string, string | null>();

function subscribeToText(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readStoredText(name: string): string | null {
  const kept = memoryValues.get(name);
  if (kept !== undefined) return kept;
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function writeStoredText(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    memoryValues.set(name, value);
  }
  for (const listener of listeners) listener();
}

/**
 * Returns a string from `localStorage`, and a function that stores a new string. The string is `null` if none is
 * stored, and always `null` on the server. If the browser does not permit storage, a new string is kept in memory until
 * the page is closed.
 */
export function useStoredText(name: string): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    subscribeToText,
    () => readStoredText(name),
    () => null,
  );
  return [value, (next) => writeStoredText(name, next)];
}
