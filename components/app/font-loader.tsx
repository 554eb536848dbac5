"use client";

import { useEffect } from "react";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { useLiveState } from "@/lib/live/hooks.ts";
import { FONTS_COOKIE } from "./fonts-cookie.ts";

/**
 * Delay in ms between the first live data and the download of the fonts, which would compete with the data for
 * bandwidth.
 */
const DELAY_MS = 5000;
const YEAR_S = 365 * 24 * 3600;

/**
 * Downloads the fonts into the browser's cache 5 s after the first live data has arrived. If all fonts were loaded,
 * sets the fonts cookie. The server uses the fonts for pages that are requested with the cookie. The current page keeps
 * the system fonts.
 */
export function FontLoader({ families }: { families: readonly string[] }) {
  const isLive = useLiveState().connection === "live";
  const text = families.join("\n");
  useEffect(() => {
    if (!isLive) return;
    const timer = setTimeout(() => void loadFonts(text.split("\n")), DELAY_MS);
    return () => clearTimeout(timer);
  }, [isLive, text]);
  return null;
}

async function loadFonts(families: readonly string[]): Promise<void> {
  const loaded = await Promise.all(families.map((family) => document.fonts.load(`1em ${family}`))).catch(
    () => [],
  );
  if (loaded.length === 0 || loaded.some((faces) => faces.length === 0)) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the server needs it for the next page, and Safari lacks cookieStore
  document.cookie = `${FONTS_COOKIE}=1; path=${BASE_PATH}/; max-age=${YEAR_S}; samesite=lax`;
}
