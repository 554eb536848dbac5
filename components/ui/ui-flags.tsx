"use client";

import { createContext, type ReactNode, use, useSyncExternalStore } from "react";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { readFlag, UI_FLAGS_COOKIE, writeFlag } from "./ui-flags-cookie.ts";

const InitialFlagsContext = createContext("");
const YEAR_S = 365 * 24 * 3600;
const listeners = new Set<() => void>();
/**
 * The value of the cookie as last set on this page; `undefined` if the user has made no choice since the page was
 * loaded.
 */
let currentFlags: string | undefined;

/**
 * Provides `useUiFlag` with the choices in the cookie that the server received.
 *
 * @param kept the value of the cookie
 */
export function UiFlagsProvider({ kept, children }: { kept: string; children: ReactNode }) {
  return <InitialFlagsContext value={kept}>{children}</InitialFlagsContext>;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Returns whether a part of the page is open, as chosen by the user (`null` if the user made no choice), and a function
 * that stores a new choice in a cookie. The server reads the cookie and renders the page as the user left it, so
 * nothing moves during hydration.
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
