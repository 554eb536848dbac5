"use client";

import { Button } from "@/components/ui/button.tsx";
import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { LANGUAGE_LABELS, SNIPPET_LANGUAGES, type SnippetLanguage } from "@/lib/snippets/language.ts";

interface SnippetLanguagePickerProps {
  language: SnippetLanguage;
  onChoose(language: SnippetLanguage): void;
}

/** For all snippets of the page. */
export function SnippetLanguagePicker({ language, onChoose }: SnippetLanguagePickerProps) {
  const messages = useMessages(docs);
  return (
    <fieldset className="sticky top-0 z-10 -mx-1 flex flex-wrap items-center gap-1.5 border-b border-line-soft bg-bg px-1 py-2">
      <legend className="sr-only">{messages.snippetLanguage}</legend>
      {SNIPPET_LANGUAGES.map((each) => (
        <Button
          key={each}
          variant={each === language ? "primary" : "plain"}
          aria-pressed={each === language}
          onClick={() => onChoose(each)}
        >
          {LANGUAGE_LABELS[each]}
        </Button>
      ))}
    </fieldset>
  );
}
