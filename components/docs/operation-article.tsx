"use client";

import { useMemo } from "react";
import { docs } from "@/lib/i18n/en/docs.tsx";
import type { Words } from "@/lib/i18n/en/messages.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import type { OpenApiDocument, Operation } from "@/lib/reference/document.ts";
import { sampleRequestOf } from "@/lib/reference/sample-request.ts";
import { LABEL_OF_LANGUAGE, type Language, snippetIn } from "@/lib/snippets/language.ts";
import { CodeBlock } from "./code-block.tsx";
import { English } from "./english.tsx";
import { type Field, FieldTable, fieldsOf } from "./field-table.tsx";
import { Prose } from "./prose.tsx";
import { Answers } from "./response-list.tsx";

interface OperationArticleProps {
  operation: Operation;
  document: OpenApiDocument;
  language: Language;
  origin: string;
}

export function OperationArticle({ operation, document, language, origin }: OperationArticleProps) {
  const words = useWords(docs);
  const { operationId, method, path, summary, description, "x-access": access } = operation;
  const snippet = useMemo(
    () => snippetIn(language, sampleRequestOf(operation), origin),
    [operation, language, origin],
  );
  const body = operation.requestBody?.content["application/json"];
  return (
    <article
      id={operationId}
      aria-labelledby={`${operationId}-title`}
      className="flex flex-col gap-3 rounded-[10px] border border-line bg-panel p-3 sm:p-4"
    >
      <div>
        <h3 id={`${operationId}-title`} className="font-semibold">
          <English>{summary}</English>
        </h3>
        <p translate="no" className="font-mono text-xs break-all text-ink-2">
          <span className="font-semibold text-accent">{method}</span> {path}
        </p>
      </div>
      <div>
        <English>
          <Prose text={description} />
        </English>
        <Prose text={accessText(access, words)} className="text-ink-3" />
      </div>
      <CodeBlock
        label={words.operationIn(operationId, LABEL_OF_LANGUAGE[language])}
        note={words.needsOf(LABEL_OF_LANGUAGE[language], words.needs[language])}
        text={snippet}
      />
      <FieldTable title={words.parameters} fields={parametersOf(operation)} document={document} />
      {body?.schema !== undefined && (
        <FieldTable title={words.body} fields={fieldsOf(document, body.schema)} document={document} />
      )}
      <BodyExamples operation={operation} />
      <Answers operation={operation} document={document} />
    </article>
  );
}

function accessText(access: string | undefined, words: Words["docs"]): string | undefined {
  if (access === undefined) return undefined;
  return access === "anyone" ? words.accessAnyone : words.accessNeeded(access);
}

function parametersOf({ parameters = [] }: Operation): Field[] {
  return parameters.map(({ name, in: where, required = false, description, schema = {} }) => ({
    name,
    isRequired: required,
    note: where,
    schema: { ...schema, ...(description === undefined ? {} : { description }) },
  }));
}

/** The first is in the snippet. */
function BodyExamples({ operation: { operationId, requestBody } }: { operation: Operation }) {
  const words = useWords(docs);
  const examples = Object.values(requestBody?.content["application/json"]?.examples ?? {});
  if (examples.length < 2) return null;
  return (
    <details>
      <summary className="cursor-pointer font-medium">{words.otherBodies}</summary>
      <div lang="en" translate="no" className="mt-2 flex flex-col gap-2">
        {examples.map(({ summary = "", value }) => (
          <CodeBlock
            key={summary}
            label={`${summary} (${operationId})`}
            note={summary}
            text={JSON.stringify(value, null, 2)}
          />
        ))}
      </div>
    </details>
  );
}
