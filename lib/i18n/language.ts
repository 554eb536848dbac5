/** The languages of the console. Every page includes English. Other languages are separate chunks. */
export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The name of each language in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", zh: "中文" };

/** The tags for `<html lang>` and `Intl`. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: "en", zh: "zh-Hans" };

export const LANGUAGE_COOKIE = "lockkeeper_language";

export function isLanguage(text: string | undefined): text is Language {
  return LANGUAGES.some((language) => language === text);
}

/** Returns the chosen language, else the first supported one in `Accept-Language`, else English. */
export function resolveLanguage(chosen: string | undefined, acceptLanguage: string | null): Language {
  if (isLanguage(chosen)) return chosen;
  const accepted = (acceptLanguage ?? "").split(",").map((entry) => {
    const [tag = "", ...parameters] = entry.trim().toLowerCase().split(";");
    const quality = parameters.find((parameter) => parameter.trim().startsWith("q="));
    return { base: tag.split("-")[0], weight: quality === undefined ? 1 : Number(quality.trim().slice(2)) };
  });
  const known = accepted.filter(({ base, weight }) => isLanguage(base) && weight > 0);
  const best = known.sort((one, other) => other.weight - one.weight)[0]?.base;
  return isLanguage(best) ? best : "en";
}
