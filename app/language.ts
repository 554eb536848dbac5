import type { Metadata } from "next";
import { cookies, headers } from "next/headers";
import { titles as english } from "@/lib/i18n/en/titles.ts";
import { LANGUAGE_COOKIE, type Language, resolveLanguage } from "@/lib/i18n/language.ts";
import { titles as chinese } from "@/lib/i18n/zh/titles.ts";

type Titles = typeof english;

const TITLES_BY_LANGUAGE: Readonly<Record<Language, Titles>> = {
  en: english,
  zh: { ...chinese, namespace: "titles" },
};

/**
 * Returns the language from the language cookie, or the best match for the `accept-language` header if the cookie does
 * not contain a supported language. Falls back to English.
 */
export async function resolveRequestLanguage(): Promise<Language> {
  const [asked, kept] = await Promise.all([headers(), cookies()]);
  return resolveLanguage(kept.get(LANGUAGE_COOKIE)?.value, asked.get("accept-language"));
}

/**
 * Creates a `generateMetadata` function that sets the title of a page. Example: `export const generateMetadata =
 * createTitleMetadata("owners")`.
 */
export function createTitleMetadata(
  page: Exclude<keyof Titles, "namespace" | "description">,
): () => Promise<Metadata> {
  return async () => ({ title: TITLES_BY_LANGUAGE[await resolveRequestLanguage()][page] });
}

export async function getDescription(): Promise<string> {
  return TITLES_BY_LANGUAGE[await resolveRequestLanguage()].description;
}
