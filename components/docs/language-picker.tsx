"use client";

import { Button } from "@/components/ui/button.tsx";
import { docs } from "@/lib/i18n/en/docs.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { LABEL_OF_LANGUAGE, LANGUAGES, type Language } from "@/lib/snippets/language.ts";

interface LanguageChoiceProps {
  language: Language;
  onChoose(language: Language): void;
}

/** For all snippets of the page. */
export function LanguageChoice({ language, onChoose }: LanguageChoiceProps) {
  const words = useWords(docs);
  return (
    <fieldset className="sticky top-0 z-10 -mx-1 flex flex-wrap items-center gap-1.5 border-b border-line-soft bg-bg px-1 py-2">
      <legend className="sr-only">{words.snippetLanguage}</legend>
      {LANGUAGES.map((each) => (
        <Button
          key={each}
          look={each === language ? "primary" : "plain"}
          aria-pressed={each === language}
          onClick={() => onChoose(each)}
        >
          {LABEL_OF_LANGUAGE[each]}
        </Button>
      ))}
    </fieldset>
  );
}
