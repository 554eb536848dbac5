"use client";

import { Languages } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES } from "@/lib/i18n/language.ts";
import { useLanguage, useMessages } from "@/lib/i18n/messages-provider.tsx";

/** Returns the label and the action of a control that switches to the next language of the console. */
export function useNextLanguage(): { label: string; apply(): void } {
  const messages = useMessages(shell);
  const { language, setLanguage } = useLanguage();
  const next = LANGUAGES[(LANGUAGES.indexOf(language) + 1) % LANGUAGES.length] ?? "en";
  return { label: messages.changeLanguage(LANGUAGE_NAMES[next]), apply: () => void setLanguage(next) };
}

export function LanguageSwitch() {
  const { language } = useLanguage();
  const { label, apply } = useNextLanguage();
  return (
    <Button
      variant="quiet"
      size="icon"
      aria-label={label}
      title={label}
      onClick={apply}
      data-language={LANGUAGE_TAGS[language]}
    >
      <Languages aria-hidden size={15} />
    </Button>
  );
}
