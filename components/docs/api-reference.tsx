"use client";

import { useEffect } from "react";
import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { OpenApiDocument } from "@/lib/reference/document.ts";
import type { SnippetLanguage } from "@/lib/snippets/language.ts";
import type { Section } from "./api-sections.ts";
import { OperationArticle } from "./operation-article.tsx";
import { Prose } from "./prose.tsx";
import { ReferenceText } from "./reference-text.tsx";

interface ApiReferenceProps {
  document: OpenApiDocument;
  sections: readonly Section[];
  language: SnippetLanguage;
  origin: string;
}

/** Lists all API operations, grouped by tag. */
export function ApiReference({ document, sections, language, origin }: ApiReferenceProps) {
  const messages = useMessages(docs);
  useEffect(() => {
    // When the browser tried to scroll to the fragment of the URL, the operations were not rendered yet.
    const id = window.location.hash.slice(1);
    if (id !== "") window.document.getElementById(id)?.scrollIntoView();
  }, []);
  return (
    <>
      <div>
        <h2 className="text-lg font-semibold tracking-tight">{messages.reference}</h2>
        <ReferenceText>
          <Prose text={document.info.description} />
        </ReferenceText>
      </div>
      {sections.map(({ name, label, description, operations }) => (
        <section key={name} aria-labelledby={`section-${name}`} className="flex flex-col gap-4">
          <div>
            <h2 id={`section-${name}`} className="text-lg font-semibold tracking-tight">
              <ReferenceText>{label}</ReferenceText>
            </h2>
            <ReferenceText>
              <Prose text={description} />
            </ReferenceText>
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
    </>
  );
}
