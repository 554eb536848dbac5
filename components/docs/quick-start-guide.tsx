"use client";

import { docs } from "@/lib/i18n/en/docs.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { guideIn } from "@/lib/snippets/guide/guide.ts";
import { SHOWN } from "@/lib/snippets/guide/guide-options.ts";
import { LABEL_OF_LANGUAGE, type Language } from "@/lib/snippets/language.ts";
import { CodeBlock } from "./code-block.tsx";
import { Code, Inline } from "./prose.tsx";

const EXPORT = "export LOCKKEEPER_KEY=lk_…";
const OPERATION = "makeApiKey";

/** The first thing on the page: all that a first lock needs. */
export function Guide({ language, origin }: { language: Language; origin: string }) {
  const words = useWords(docs);
  return (
    <section id="guide" aria-labelledby="guide-title" className="flex flex-col gap-3">
      <h2 id="guide-title" className="text-lg font-semibold tracking-tight">
        {words.guideTitle}
      </h2>
      <p className="max-w-[78ch] text-ink-2">
        <Step>{words.keyStep}</Step>
        {words.keyText(
          <a href={`#${OPERATION}`} translate="no" className="text-accent underline">
            {OPERATION}
          </a>,
          <Code>{"read"}</Code>,
          <Code>{"lock"}</Code>,
        )}
      </p>
      <CodeBlock label={words.keyVariable} text={EXPORT} />
      <p className="max-w-[78ch] text-ink-2">
        <Step>{words.programStep}</Step>
        {words.programText(words.needs[language])}
      </p>
      <CodeBlock
        label={words.programIn(LABEL_OF_LANGUAGE[language])}
        text={guideIn(language, { ...SHOWN, origin })}
      />
      <p className="text-ink-2">
        <Step>{words.safeStep}</Step>
      </p>
      <ul className="flex max-w-[78ch] list-disc flex-col gap-1 pl-5 text-ink-2">
        {Object.entries(words.points).map(([name, point]) => (
          <li key={name}>
            <Inline text={point} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Step({ children }: { children: string }) {
  return <strong className="font-medium text-ink">{`${children} `}</strong>;
}
