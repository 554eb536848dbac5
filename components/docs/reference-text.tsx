"use client";

import { createContext, type ReactNode, use } from "react";

const TranslatedContext = createContext(false);

/** Sets for `ReferenceText` whether the OpenAPI document is translated into the language of the page. */
export function TranslatedReference({ value, children }: { value: boolean; children: ReactNode }) {
  return <TranslatedContext value={value}>{children}</TranslatedContext>;
}

/** Shows a string from the API reference. Marks the string as English if the document is not translated. */
export function ReferenceText({ children }: { children: ReactNode }) {
  return use(TranslatedContext) ? children : <EnglishText>{children}</EnglishText>;
}

/** Shows a string that is in English in every language of the console. */
export function EnglishText({ children }: { children: ReactNode }) {
  return (
    <span lang="en" translate="no" className="contents">
      {children}
    </span>
  );
}
