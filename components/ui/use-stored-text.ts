"use client";

import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
/** What could not be stored lasts as long as the page. */
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

/** A text that this browser keeps; null: none, which is also what the server knows. */
export function useStoredText(name: string): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    subscribeToText,
    () => readStoredText(name),
    () => null,
  );
  return [value, (next) => writeStoredText(name, next)];
}
