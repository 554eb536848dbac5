/** The languages of the console. English is the one that ships with a page; others follow in a chunk of their own. */
export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each in its own words, since whoever looks for it may read no other. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", zh: "中文" };

/** What `<html lang>` and `Intl` want to hear. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: "en", zh: "zh-Hans" };

export const LANGUAGE_COOKIE = "lockkeeper_language";

export function isLanguage(text: string | undefined): text is Language {
  return LANGUAGES.some((language) => language === text);
}

/** What was chosen, else the first language of the browser's own list that the console has, else English. */
export function resolveLanguage(chosen: string | undefined, acceptLanguage: string | null): Language {
  if (isLanguage(chosen)) return chosen;
  const wished = (acceptLanguage ?? "").split(",").map((entry) => {
    const [tag = "", ...parameters] = entry.trim().toLowerCase().split(";");
    const quality = parameters.find((parameter) => parameter.trim().startsWith("q="));
    return { base: tag.split("-")[0], weight: quality === undefined ? 1 : Number(quality.trim().slice(2)) };
  });
  const known = wished.filter(({ base, weight }) => isLanguage(base) && weight > 0);
  const best = known.sort((one, other) => other.weight - one.weight)[0]?.base;
  return isLanguage(best) ? best : "en";
}
