/**
 * Languages of the console. Every page includes the English messages that it uses. The messages of other languages are
 * loaded as separate chunks.
 */
export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Name of each language, in the language itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", zh: "中文" };

/** BCP 47 tags of the languages, for `<html lang>` and `Intl`. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: "en", zh: "zh-Hans" };

export const LANGUAGE_COOKIE = "lockkeeper_language";

export function isLanguage(text: string | undefined): text is Language {
  return LANGUAGES.some((language) => language === text);
}

/**
 * Returns the language of a page. Uses `chosen` if it is supported. If not, uses the supported language with the
 * highest weight in `Accept-Language`, or English if the header contains no supported language.
 */
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
