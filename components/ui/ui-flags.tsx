"use client";

import { createContext, type ReactNode, use, useSyncExternalStore } from "react";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { readFlag, UI_FLAGS_COOKIE, writeFlag } from "./ui-flags-cookie.ts";

const InitialFlagsContext = createContext("");
const YEAR_S = 365 * 24 * 3600;
const listeners = new Set<() => void>();
/** `undefined` if no choice was made since the page was loaded. */
let currentFlags: string | undefined;

/**
 * Provides the choices that the server read from the cookie.
 *
 * @param kept the cookie as the server received it
 */
export function UiFlagsProvider({ kept, children }: { kept: string; children: ReactNode }) {
  return <InitialFlagsContext value={kept}>{children}</InitialFlagsContext>;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Returns a choice that is stored in a cookie (`null` if no choice was made), and a function that sets it. Because of
 * the cookie, the server renders the page as it was left, and nothing moves during hydration.
 */
export function useUiFlag(name: string): [boolean | null, (value: boolean) => void] {
  const first = use(InitialFlagsContext);
  const value = useSyncExternalStore(
    subscribe,
    () => readFlag(currentFlags ?? first, name),
    () => readFlag(first, name),
  );
  const set = (next: boolean) => {
    currentFlags = writeFlag(currentFlags ?? first, name, next);
    // biome-ignore lint/suspicious/noDocumentCookie: the server needs it for the next page, and Safari lacks cookieStore
    document.cookie = `${UI_FLAGS_COOKIE}=${currentFlags}; path=${BASE_PATH}/; max-age=${YEAR_S}; samesite=lax`;
    for (const listener of listeners) listener();
  };
  return [value, set];
}
