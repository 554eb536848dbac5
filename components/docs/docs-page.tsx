"use client";

import { useEffect, useMemo, useState } from "react";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { getServerUrl, useOpenApiDocument } from "@/lib/queries/api-document.ts";
import type { OpenApiDocument } from "@/lib/reference/document.ts";
import { SNIPPET_LANGUAGES, type SnippetLanguage } from "@/lib/snippets/language.ts";
import { groupOperationsByTag } from "./api-sections.ts";
import { EnglishText } from "./english.tsx";
import { SnippetLanguagePicker } from "./language-picker.tsx";
import { OperationArticle } from "./operation-article.tsx";
import { Prose } from "./prose.tsx";
import { QuickStartGuide } from "./quick-start-guide.tsx";
import { SectionList } from "./section-list.tsx";

/** The API, from the document that it gives of itself: nothing is fetched from anywhere else. */
export function DocsPage() {
  const messages = useMessages(docs);
  const document = useOpenApiDocument();
  if (document.data !== undefined) return <ApiReference document={document.data} />;
  return (
    <div className="px-5 py-4">
      <h1 className="text-lg font-semibold tracking-tight">{messages.title}</h1>
      {document.isError ? (
        <ProblemNote problem={document.error} onAgain={() => void document.refetch()} />
      ) : (
        <p className="text-ink-3">{messages.reading}</p>
      )}
    </div>
  );
}

function ApiReference({ document }: { document: OpenApiDocument }) {
  const messages = useMessages(docs);
  const [language, setLanguage] = useState<SnippetLanguage>(SNIPPET_LANGUAGES[0]);
  const sections = useMemo(() => groupOperationsByTag(document), [document]);
  const origin = getServerUrl();
  useEffect(() => {
    // What the address names was not there yet when the browser looked for it.
    const id = window.location.hash.slice(1);
    if (id !== "") window.document.getElementById(id)?.scrollIntoView();
  }, []);
  return (
    <div className="relative min-h-0 flex-1 scroll-pt-14 overflow-y-auto">
      <div className="mx-auto grid max-w-[1240px] gap-x-8 px-3 sm:px-5 lg:grid-cols-[210px_minmax(0,1fr)]">
        <SectionList sections={sections} />
        <div className="flex min-w-0 flex-col gap-6 py-4">
          <div>
            <h1 className="text-lg font-semibold tracking-tight">{messages.title}</h1>
            {messages.isEnglish !== null && <p className="text-ink-2">{messages.isEnglish}</p>}
            <EnglishText>
              <Prose text={document.info.description} />
            </EnglishText>
          </div>
          <SnippetLanguagePicker language={language} onChoose={setLanguage} />
          <QuickStartGuide language={language} origin={origin} />
          {sections.map(({ name, description, operations }) => (
            <section key={name} aria-labelledby={`section-${name}`} className="flex flex-col gap-4">
              <div>
                <h2 id={`section-${name}`} className="text-lg font-semibold tracking-tight">
                  <EnglishText>{name}</EnglishText>
                </h2>
                <EnglishText>
                  <Prose text={description} />
                </EnglishText>
              </div>
              {operations.map((operation) => (
                <OperationArticle
                  key={operation.operationId}
                  operation={operation}
                  document={document}
                  language={language}
                  origin={origin}
                />
              ))}
            </section>
          ))}
        </div>
      </div>
    </div>
  );
}
