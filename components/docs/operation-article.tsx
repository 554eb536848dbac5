"use client";

import { useMemo } from "react";
import { docs } from "@/lib/i18n/en/docs.tsx";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { OpenApiDocument, ReferenceOperation } from "@/lib/reference/document.ts";
import { createSampleRequest } from "@/lib/reference/sample-request.ts";
import { createSnippet, LANGUAGE_LABELS, type SnippetLanguage } from "@/lib/snippets/language.ts";
import { CodeBlock } from "./code-block.tsx";
import { FieldTable, listSchemaFields, type SchemaField } from "./field-table.tsx";
import { Prose } from "./prose.tsx";
import { ReferenceText } from "./reference-text.tsx";
import { ResponseList } from "./response-list.tsx";

interface OperationArticleProps {
  operation: ReferenceOperation;
  document: OpenApiDocument;
  language: SnippetLanguage;
  origin: string;
}

export function OperationArticle({ operation, document, language, origin }: OperationArticleProps) {
  const messages = useMessages(docs);
  const { operationId, method, path, summary, description, "x-access": access } = operation;
  const snippet = useMemo(
    () => createSnippet(language, createSampleRequest(operation), origin),
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
          <ReferenceText>{summary}</ReferenceText>
        </h3>
        <p translate="no" className="font-mono text-sm break-all text-ink-2">
          <span className="font-semibold text-accent">{method}</span> {path}
        </p>
      </div>
      <div>
        <ReferenceText>
          <Prose text={description} />
        </ReferenceText>
        <Prose text={formatRequiredAccess(access, messages)} className="text-ink-3" />
      </div>
      <CodeBlock
        label={messages.operationIn(operationId, LANGUAGE_LABELS[language])}
        note={messages.needsOf(LANGUAGE_LABELS[language], messages.needs[language])}
        text={snippet}
      />
      <FieldTable
        title={messages.parameters}
        fields={listParameterFields(operation, messages)}
        document={document}
      />
      {body?.schema !== undefined && (
        <FieldTable
          title={messages.body}
          fields={listSchemaFields(document, body.schema, operation.fieldDescriptions)}
          document={document}
        />
      )}
      <RequestExamples operation={operation} />
      <ResponseList operation={operation} document={document} />
    </article>
  );
}

function formatRequiredAccess(access: string | undefined, messages: Messages["docs"]): string | undefined {
  if (access === undefined) return undefined;
  return access === "anyone" ? messages.accessAnyone : messages.accessNeeded(access);
}

function listParameterFields(
  { parameters = [] }: ReferenceOperation,
  { parameterIn }: Messages["docs"],
): SchemaField[] {
  return parameters.map(({ name, in: where, required = false, description, schema = {} }) => ({
    name,
    isRequired: required,
    note: parameterIn[where] ?? where,
    translation: description,
    schema,
  }));
}

/**
 * Lists the request examples if there are several. A single example is not listed, because the snippet already shows
 * it.
 */
function RequestExamples({ operation: { operationId, requestBody } }: { operation: ReferenceOperation }) {
  const messages = useMessages(docs);
  const examples = Object.values(requestBody?.content["application/json"]?.examples ?? {});
  if (examples.length < 2) return null;
  return (
    <details>
      <summary className="cursor-pointer font-medium">{messages.otherBodies}</summary>
      <div className="mt-2 flex flex-col gap-2">
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
