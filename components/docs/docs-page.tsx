"use client";

import { useMemo, useState, useSyncExternalStore } from "react";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { getServerUrl } from "@/lib/queries/api-document.ts";
import { SNIPPET_LANGUAGES, type SnippetLanguage } from "@/lib/snippets/language.ts";
import type { SamplePrograms } from "@/lib/snippets/sample-files.ts";
import { ApiReference } from "./api-reference.tsx";
import { groupOperationsByTag } from "./api-sections.ts";
import { EventsGuide } from "./events-guide.tsx";
import { SnippetLanguagePicker } from "./language-picker.tsx";
import { QuickStartGuide } from "./quick-start-guide.tsx";
import { TranslatedReference } from "./reference-text.tsx";
import { SectionList } from "./section-list.tsx";
import { useReference } from "./use-reference.ts";

interface DocsPageProps {
  samples: SamplePrograms;
  /** Origin and base path, derived from the request. After hydration, the page uses the browser's URL instead. */
  serverUrl: string;
}

const subscribeToNothing = () => () => {};

/** Shows the guides and the API reference. The reference is generated from the server's OpenAPI document. */
export function DocsPage({ samples, serverUrl }: DocsPageProps) {
  const messages = useMessages(docs);
  const { reference, error, refetch } = useReference();
  const [language, setLanguage] = useState<SnippetLanguage>(SNIPPET_LANGUAGES[0]);
  const origin = useSyncExternalStore(subscribeToNothing, getServerUrl, () => serverUrl);
  const sections = useMemo(
    () => (reference === undefined ? [] : groupOperationsByTag(reference.document)),
    [reference],
  );
  const { lock, events } = samples[language];
  const isTranslated = reference?.isTranslated ?? false;
  return (
    <div className="relative min-h-0 flex-1 scroll-pt-14 overflow-y-auto">
      <div className="mx-auto grid max-w-[1240px] gap-x-8 px-3 sm:px-5 lg:grid-cols-[250px_minmax(0,1fr)]">
        <TranslatedReference value={isTranslated}>
          <SectionList sections={sections} />
        </TranslatedReference>
        <div className="flex min-w-0 flex-col gap-6 py-4 text-[15px] leading-relaxed [&_h2]:text-[18px] [&_h3]:text-[16px]">
          <div>
            <h1 className="text-[22px] font-semibold tracking-tight">{messages.title}</h1>
            {messages.isEnglish !== null && <p className="text-ink-2">{messages.isEnglish}</p>}
          </div>
          <SnippetLanguagePicker language={language} onChoose={setLanguage} />
          <QuickStartGuide language={language} program={lock} serverUrl={origin} />
          <EventsGuide program={events} serverUrl={origin} />
          {reference !== undefined ? (
            <TranslatedReference value={isTranslated}>
              <ApiReference
                document={reference.document}
                sections={sections}
                language={language}
                origin={origin}
              />
            </TranslatedReference>
          ) : error !== null ? (
            <ProblemNote problem={error} onAgain={() => void refetch()} />
          ) : (
            <p className="text-ink-3">{messages.reading}</p>
          )}
        </div>
      </div>
    </div>
  );
}
