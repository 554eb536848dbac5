import type { Metadata } from "next";
import { cookies, headers } from "next/headers";
import { titles as english } from "@/lib/i18n/en/titles.ts";
import { LANGUAGE_COOKIE, type Language, languageFor } from "@/lib/i18n/language.ts";
import { titles as chinese } from "@/lib/i18n/zh/titles.ts";

type Titles = typeof english;

const TITLES: Readonly<Record<Language, Titles>> = { en: english, zh: { ...chinese, namespace: "titles" } };

/** Of whoever asks for the page. */
export async function languageOfRequest(): Promise<Language> {
  const [asked, kept] = await Promise.all([headers(), cookies()]);
  return languageFor(kept.get(LANGUAGE_COOKIE)?.value, asked.get("accept-language"));
}

/** The title of a page, for the tab: `export const generateMetadata = titled("owners")`. */
export function titled(page: Exclude<keyof Titles, "namespace" | "description">): () => Promise<Metadata> {
  return async () => ({ title: TITLES[await languageOfRequest()][page] });
}

export async function description(): Promise<string> {
  return TITLES[await languageOfRequest()].description;
}
