"use client";

import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
/** What could not be stored lasts as long as the page. */
const unstored = new Map<string, string | null>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(name: string): string | null {
  const kept = unstored.get(name);
  if (kept !== undefined) return kept;
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function store(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    unstored.set(name, value);
  }
  for (const listener of listeners) listener();
}

/** A text that this browser keeps; null: none, which is also what the server knows. */
export function useStoredText(name: string): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    subscribe,
    () => read(name),
    () => null,
  );
  return [value, (next) => store(name, next)];
}
