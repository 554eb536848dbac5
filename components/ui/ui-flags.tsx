"use client";

import { createContext, type ReactNode, use, useSyncExternalStore } from "react";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { flagIn, KEPT_FLAGS_COOKIE, withFlag } from "./ui-flags-cookie.ts";

const FirstContext = createContext("");
const YEAR_S = 365 * 24 * 3600;
const listeners = new Set<() => void>();
/** undefined: nothing was chosen since the page came. */
let chosen: string | undefined;

/** @param kept the cookie, as the server was sent it */
export function KeptFlags({ kept, children }: { kept: string; children: ReactNode }) {
  return <FirstContext value={kept}>{children}</FirstContext>;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * A choice of this browser that the server knows as well: the page comes as it was left, and nothing moves when it
 * wakes up. null: nobody has chosen yet.
 */
export function useKeptFlag(name: string): [boolean | null, (value: boolean) => void] {
  const first = use(FirstContext);
  const value = useSyncExternalStore(
    subscribe,
    () => flagIn(chosen ?? first, name),
    () => flagIn(first, name),
  );
  const set = (next: boolean) => {
    chosen = withFlag(chosen ?? first, name, next);
    // biome-ignore lint/suspicious/noDocumentCookie: the server has to know it with the next page, and Safari lacks cookieStore
    document.cookie = `${KEPT_FLAGS_COOKIE}=${chosen}; path=${BASE_PATH}/; max-age=${YEAR_S}; samesite=lax`;
    for (const listener of listeners) listener();
  };
  return [value, set];
}
