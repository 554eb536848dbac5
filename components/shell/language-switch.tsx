"use client";

import { Languages } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES } from "@/lib/i18n/language.ts";
import { useLanguage, useMessages } from "@/lib/i18n/messages-provider.tsx";

export function LanguageSwitch() {
  const messages = useMessages(shell);
  const { language, setLanguage } = useLanguage();
  const next = LANGUAGES[(LANGUAGES.indexOf(language) + 1) % LANGUAGES.length] ?? "en";
  const label = messages.changeLanguage(LANGUAGE_NAMES[next]);
  return (
    <Button
      variant="quiet"
      size="icon"
      aria-label={label}
      title={label}
      onClick={() => void setLanguage(next)}
      data-language={LANGUAGE_TAGS[language]}
    >
      <Languages aria-hidden size={15} />
    </Button>
  );
}
