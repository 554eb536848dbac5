"use client";

import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { createSampleCommands, SAMPLE_FILES, type SampleProgram } from "@/lib/snippets/sample-files.ts";
import { CodeBlock } from "./code-block.tsx";
import { Inline } from "./prose.tsx";

const SAMPLE_NAMES = Object.values(SAMPLE_FILES).flatMap((byTopic) =>
  Object.values(byTopic).map(({ name }) => name),
);

/** Shows the guide to the event stream, with a sample program. @param serverUrl origin and base path */
export function EventsGuide({ program, serverUrl }: { program: SampleProgram; serverUrl: string }) {
  const messages = useMessages(docs);
  return (
    <section id="listen" aria-labelledby="listen-title" className="flex flex-col gap-3">
      <h2 id="listen-title" className="text-lg font-semibold tracking-tight">
        {messages.eventsTitle}
      </h2>
      <p className="max-w-[78ch] text-ink-2">
        <Inline text={messages.eventsText} />
      </p>
      <CodeBlock label={messages.runSample(program.name)} text={createSampleCommands(program, serverUrl)} />
      <CodeBlock label={messages.eventsProgram} note={program.name} text={program.text} isTall />
      <p className="max-w-[78ch] text-ink-2">
        {messages.allSamples}{" "}
        {SAMPLE_NAMES.map((name, index) => (
          <span key={name}>
            {index > 0 && ", "}
            <a href={`${serverUrl}/samples/${name}`} translate="no" className="text-accent underline">
              {name}
            </a>
          </span>
        ))}
      </p>
    </section>
  );
}
