"use client";

import { getTabClass, TABS_CLASS } from "@/components/ui/tab-class.ts";
import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { LANGUAGE_LABELS, SNIPPET_LANGUAGES, type SnippetLanguage } from "@/lib/snippets/language.ts";

interface SnippetLanguagePickerProps {
  language: SnippetLanguage;
  onChoose(language: SnippetLanguage): void;
}

/** Lets the reader select the programming language of all snippets on the page. */
export function SnippetLanguagePicker({ language, onChoose }: SnippetLanguagePickerProps) {
  const messages = useMessages(docs);
  return (
    <fieldset className={`${TABS_CLASS} sticky top-0 z-10 -mx-1 bg-bg px-1`}>
      <legend className="sr-only">{messages.snippetLanguage}</legend>
      {SNIPPET_LANGUAGES.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === language}
          onClick={() => onChoose(each)}
          className={getTabClass(each === language)}
        >
          {LANGUAGE_LABELS[each]}
        </button>
      ))}
    </fieldset>
  );
}
