"use client";

import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { LANGUAGE_LABELS, type SnippetLanguage } from "@/lib/snippets/language.ts";
import {
  createEnvironmentCommands,
  createSampleCommands,
  type SampleProgram,
} from "@/lib/snippets/sample-files.ts";
import { CodeBlock } from "./code-block.tsx";
import { Code, Inline } from "./prose.tsx";

const API_KEY_OPERATION = "createApiKey";

interface QuickStartGuideProps {
  language: SnippetLanguage;
  program: SampleProgram;
  /** Origin and base path of the server. */
  serverUrl: string;
}

/** Explains how to create an API key, shows a sample program, and lists what makes the program safe. */
export function QuickStartGuide({ language, program, serverUrl }: QuickStartGuideProps) {
  const messages = useMessages(docs);
  return (
    <section id="guide" aria-labelledby="guide-title" className="flex flex-col gap-3">
      <h2 id="guide-title" className="text-lg font-semibold tracking-tight">
        {messages.guideTitle}
      </h2>
      <p className="max-w-[78ch] text-ink-2">
        <GuideStep>{messages.keyStep}</GuideStep>
        {messages.keyText(
          <a href={`#${API_KEY_OPERATION}`} translate="no" className="text-accent underline">
            {API_KEY_OPERATION}
          </a>,
          <Code>{"read"}</Code>,
          <Code>{"lock"}</Code>,
        )}
      </p>
      <CodeBlock label={messages.keyVariable} text={createEnvironmentCommands(serverUrl)} />
      <p className="max-w-[78ch] text-ink-2">
        <GuideStep>{messages.programStep}</GuideStep>
        <Inline text={messages.programText[language === "curl" ? "command" : "function"]} />
      </p>
      <CodeBlock label={messages.runSample(program.name)} text={createSampleCommands(program, serverUrl)} />
      <CodeBlock
        label={messages.programIn(LANGUAGE_LABELS[language])}
        note={program.name}
        text={program.text}
        isTall
      />
      <p className="text-ink-2">
        <GuideStep>{messages.safeStep}</GuideStep>
      </p>
      <ul className="flex max-w-[78ch] list-disc flex-col gap-1 pl-5 text-ink-2">
        {Object.entries(messages.points).map(([name, point]) => (
          <li key={name}>
            <Inline text={point} />
          </li>
        ))}
      </ul>
      <p className="max-w-[78ch] text-ink-2">
        <Inline text={messages.recipes} />
      </p>
    </section>
  );
}

function GuideStep({ children }: { children: string }) {
  return <strong className="font-medium text-ink">{`${children} `}</strong>;
}
