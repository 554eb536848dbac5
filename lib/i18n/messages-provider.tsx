"use client";

import { useRouter } from "next/navigation";
import { createContext, type ReactNode, use, useCallback, useState, useTransition } from "react";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import type { Messages } from "./en/messages.ts";
import { LANGUAGE_COOKIE, LANGUAGE_TAGS, type Language } from "./language.ts";

interface LanguageState {
  language: Language;
  /** Messages of the language; `null` for English, because every page includes the English messages. */
  messages: Messages | null;
  setLanguage(language: Language): Promise<void>;
}

const LanguageContext = createContext<LanguageState | null>(null);

const YEAR_S = 365 * 24 * 3600;
let chineseMessages: Promise<Messages | null> | undefined;

/**
 * Loads the Chinese messages. Returns the same promise for all renders, as React's `use` requires. If loading fails,
 * the promise resolves to `null`, and the page stays in English.
 */
function loadChinese(): Promise<Messages | null> {
  chineseMessages ??= import("./zh/messages.ts").then(
    (module) => module.zh,
    () => null,
  );
  return chineseMessages;
}

/** Discards a failed load, so that the messages are loaded again when the language is selected. */
async function clearFailedLoad(): Promise<void> {
  if ((await chineseMessages) === null) chineseMessages = undefined;
}

/**
 * Provides the language and its messages to all components below. `language` is the initial language, which must be the
 * same on the server and in the first render in the browser.
 */
export function MessagesProvider({ language: first, children }: { language: Language; children: ReactNode }) {
  const [language, setLanguage] = useState(first);
  const [, startTransition] = useTransition();
  const router = useRouter();
  const messages = language === "en" ? null : use(loadChinese());
  const changeLanguage = useCallback(
    async (next: Language) => {
      // biome-ignore lint/suspicious/noDocumentCookie: the server needs it for the next page, and Safari lacks cookieStore
      document.cookie = `${LANGUAGE_COOKIE}=${next}; path=${BASE_PATH || "/"}; max-age=${YEAR_S}; samesite=lax`;
      document.documentElement.lang = LANGUAGE_TAGS[next];
      await clearFailedLoad();
      startTransition(() => {
        // The page stays in the previous language until the messages are loaded.
        setLanguage(next);
        // The server renders the page title again in the new language.
        router.refresh();
      });
    },
    [router],
  );
  return (
    <LanguageContext value={{ language, messages, setLanguage: changeLanguage }}>{children}</LanguageContext>
  );
}

function useLanguageState(): LanguageState {
  const state = use(LanguageContext);
  if (state === null) throw new Error("There is no <MessagesProvider> above this component.");
  return state;
}

/**
 * Returns the messages of a namespace in the page's language. Example: `const messages = useMessages(table)`. The
 * caller passes the English messages, so that a page includes only the English namespaces that it uses.
 */
export function useMessages<Namespace extends keyof Messages>(
  english: Messages[Namespace] & { namespace: Namespace },
): Messages[Namespace] {
  const { messages } = useLanguageState();
  return messages === null ? english : messages[english.namespace];
}

/** Returns a function that works like `useMessages`, for lazily loaded code that cannot call hooks. */
export function useLazyMessages(): <Namespace extends keyof Messages>(
  english: Messages[Namespace] & { namespace: Namespace },
) => Messages[Namespace] {
  const { messages } = useLanguageState();
  return useCallback((english) => (messages === null ? english : messages[english.namespace]), [messages]);
}

export function useLanguage(): Pick<LanguageState, "language" | "setLanguage"> {
  return useLanguageState();
}
