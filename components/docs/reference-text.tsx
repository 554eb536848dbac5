"use client";

import { createContext, type ReactNode, use } from "react";

const TranslatedContext = createContext(false);

/**
 * Provides `value` to the `ReferenceText` components below it: whether the OpenAPI document is translated into the
 * language of the page.
 */
export function TranslatedReference({ value, children }: { value: boolean; children: ReactNode }) {
  return <TranslatedContext value={value}>{children}</TranslatedContext>;
}

/** Shows text of the API reference. Untranslated text is marked as English. */
export function ReferenceText({ children }: { children: ReactNode }) {
  return use(TranslatedContext) ? children : <EnglishText>{children}</EnglishText>;
}

/** Shows text of the OpenAPI document that is in English in every language of the console. */
export function EnglishText({ children }: { children: ReactNode }) {
  return (
    <span lang="en" translate="no" className="contents">
      {children}
    </span>
  );
}
