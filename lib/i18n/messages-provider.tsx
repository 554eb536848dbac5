"use client";

import { useRouter } from "next/navigation";
import { createContext, type ReactNode, use, useCallback, useState, useTransition } from "react";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import type { Messages } from "./en/messages.ts";
import { LANGUAGE_COOKIE, LANGUAGE_TAGS, type Language } from "./language.ts";

interface LanguageState {
  language: Language;
  /** Of the other language; null for English, which each page brings along by itself. */
  messages: Messages | null;
  setLanguage(language: Language): Promise<void>;
}

const LanguageContext = createContext<LanguageState | null>(null);

const YEAR_S = 365 * 24 * 3600;
let chineseMessages: Promise<Messages | null> | undefined;

/** One promise for all renders, as `use` wants it. Where it cannot be loaded the page speaks English, and works. */
function loadChinese(): Promise<Messages | null> {
  chineseMessages ??= import("./zh/messages.ts").then(
    (module) => module.zh,
    () => null,
  );
  return chineseMessages;
}

/** What failed to come is asked for again when somebody asks for the language again. */
async function clearFailedLoad(): Promise<void> {
  if ((await chineseMessages) === null) chineseMessages = undefined;
}

/** The language of all below. The server's page and the browser's first draw have the same one, from the cookie. */
export function MessagesProvider({ language: first, children }: { language: Language; children: ReactNode }) {
  const [language, setLanguage] = useState(first);
  const [, startTransition] = useTransition();
  const router = useRouter();
  const messages = language === "en" ? null : use(loadChinese());
  const speak = useCallback(
    async (next: Language) => {
      // biome-ignore lint/suspicious/noDocumentCookie: the server has to know it with the next page, and Safari lacks cookieStore
      document.cookie = `${LANGUAGE_COOKIE}=${next}; path=${BASE_PATH || "/"}; max-age=${YEAR_S}; samesite=lax`;
      document.documentElement.lang = LANGUAGE_TAGS[next];
      await clearFailedLoad();
      startTransition(() => {
        // What is shown stays until the other language has come.
        setLanguage(next);
        // The title is of the server's making; all else of the page stays as it is.
        router.refresh();
      });
    },
    [router],
  );
  return (
    <LanguageContext value={{ language, messages: messages, setLanguage: speak }}>{children}</LanguageContext>
  );
}

function useLanguageState(): LanguageState {
  const spoken = use(LanguageContext);
  if (spoken === null) throw new Error("There is no <MessagesProvider> above this component.");
  return spoken;
}

/**
 * The words of a namespace in the language of the page. The English ones are given, so that a page loads those of its
 * own namespaces only: `const words = useMessages(table)` with `import { table } from "@/lib/i18n/en/table.tsx"`.
 */
export function useMessages<Namespace extends keyof Messages>(
  english: Messages[Namespace] & { namespace: Namespace },
): Messages[Namespace] {
  const { messages } = useLanguageState();
  return messages === null ? english : messages[english.namespace];
}

/** The same for words that come later: for what is loaded late and is no component. */
export function useLazyMessages(): <Namespace extends keyof Messages>(
  english: Messages[Namespace] & { namespace: Namespace },
) => Messages[Namespace] {
  const { messages } = useLanguageState();
  return useCallback((english) => (messages === null ? english : messages[english.namespace]), [messages]);
}

export function useLanguage(): Pick<LanguageState, "language" | "setLanguage"> {
  return useLanguageState();
}
