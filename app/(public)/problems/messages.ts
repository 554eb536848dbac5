import { resolveRequestLanguage } from "@/app/language.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { problemPages as english } from "@/lib/i18n/en/problem-pages.ts";
import type { Language } from "@/lib/i18n/language.ts";
import { problemPages as chinese } from "@/lib/i18n/zh/problem-pages.ts";
import { problems as chineseProblems } from "@/lib/i18n/zh/problems.ts";

interface ProblemPageMessages {
  readonly messages: Messages["problemPages"];
  /** Translated titles and remedies by problem code; `null` if the page is in English. */
  readonly translations: Messages["problems"]["translations"];
}

const MESSAGES_BY_LANGUAGE: Readonly<Record<Language, ProblemPageMessages>> = {
  en: { messages: english, translations: null },
  zh: { messages: chinese, translations: chineseProblems.translations },
};

/** Returns the messages for the problem pages in the language of the request. */
export async function resolveProblemPageMessages(): Promise<ProblemPageMessages> {
  return MESSAGES_BY_LANGUAGE[await resolveRequestLanguage()];
}
