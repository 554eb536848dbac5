"use client";

import dynamic from "next/dynamic";
import { useTheme } from "next-themes";
import { useState, useSyncExternalStore } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Section } from "@/components/ui/section.tsx";
import { settings } from "@/lib/i18n/en/settings.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { LANGUAGE_NAMES, LANGUAGES } from "@/lib/i18n/language.ts";
import { useLanguage, useMessages } from "@/lib/i18n/messages-provider.tsx";

const KeyboardHelp = dynamic(() => import("./keyboard-help.tsx").then((module) => module.KeyboardHelp), {
  ssr: false,
});
const THEMES = ["system", "light", "dark"] as const;
const subscribeToNothing = () => () => {};

/**
 * Shows the settings for theme and language, and a button that opens the keyboard help. On phones, the top bar omits
 * these controls.
 */
export function AppearanceSettings() {
  const messages = useMessages(settings);
  const { themes } = useMessages(shell);
  const { language, setLanguage } = useLanguage();
  const { theme, setTheme } = useTheme();
  const [hasHelp, setHelp] = useState(false);
  // The server does not know the theme, so no theme is selected before hydration.
  const isInBrowser = useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
  return (
    <Section title={messages.appearance} text={messages.appearanceText}>
      <div className="flex flex-col gap-4 px-4 py-3">
        <RadioRow
          legend={messages.theme}
          choices={THEMES.map((value) => ({ value, name: themes[value] }))}
          chosen={isInBrowser ? theme : undefined}
          onChoose={setTheme}
        />
        <RadioRow
          legend={messages.language}
          choices={LANGUAGES.map((value) => ({ value, name: LANGUAGE_NAMES[value] }))}
          chosen={language}
          onChoose={(value) => void setLanguage(value)}
        />
        <div>
          <Button onClick={() => setHelp(true)}>{messages.showShortcuts}</Button>
        </div>
      </div>
      {hasHelp && <KeyboardHelp onClose={() => setHelp(false)} />}
    </Section>
  );
}

interface RadioRowProps<Value extends string> {
  legend: string;
  choices: readonly { value: Value; name: string }[];
  chosen: string | undefined;
  onChoose(value: Value): void;
}

/** Renders radio buttons in one line, which wraps if necessary. */
function RadioRow<Value extends string>({ legend, choices, chosen, onChoose }: RadioRowProps<Value>) {
  return (
    <fieldset className="flex flex-wrap items-center gap-x-4">
      <legend className="float-left w-26 text-ink-2">{legend}</legend>
      {choices.map(({ value, name }) => (
        <label key={value} className="flex min-h-8 cursor-pointer items-center gap-2 max-sm:min-h-11">
          <input
            type="radio"
            name={legend}
            checked={chosen === value}
            onChange={() => onChoose(value)}
            className="accent-accent"
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
