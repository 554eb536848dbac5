import { useMemo } from "react";
import type { OpenApiDocument, Operation } from "@/lib/reference/document.ts";
import { sampleRequestOf } from "@/lib/reference/sample-request.ts";
import { LABEL_OF_LANGUAGE, type Language, NEEDS_OF_LANGUAGE, snippetIn } from "@/lib/snippets/language.ts";
import { Answers } from "./answers.tsx";
import { CodeBlock } from "./code-block.tsx";
import { type Field, FieldTable, fieldsOf } from "./field-table.tsx";
import { Prose } from "./prose.tsx";

interface OperationArticleProps {
  operation: Operation;
  document: OpenApiDocument;
  language: Language;
  origin: string;
}

const ACCESS_TEXT: Readonly<Record<string, string>> = {
  anyone: "Needs no credentials.",
  read: "Needs the access `read`.",
  lock: "Needs the access `lock`.",
  force: "Needs the access `force`.",
  admin: "Needs the access `admin`.",
};

export function OperationArticle({ operation, document, language, origin }: OperationArticleProps) {
  const { operationId, method, path, summary, description } = operation;
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
          {summary}
        </h3>
        <p className="font-mono text-xs break-all text-ink-2">
          <span className="font-semibold text-accent">{method}</span> {path}
        </p>
      </div>
      <div>
        <Prose text={description} />
        <Prose text={ACCESS_TEXT[operation["x-access"] ?? ""]} className="text-ink-3" />
      </div>
      <CodeBlock
        label={`${operationId} in ${LABEL_OF_LANGUAGE[language]}`}
        note={`${LABEL_OF_LANGUAGE[language]}: ${NEEDS_OF_LANGUAGE[language]}`}
        text={snippet}
      />
      <FieldTable title="Parameters" fields={parametersOf(operation)} document={document} />
      {body?.schema !== undefined && (
        <FieldTable title="Body" fields={fieldsOf(document, body.schema)} document={document} />
      )}
      <BodyExamples operation={operation} />
      <Answers operation={operation} document={document} />
    </article>
  );
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
  const examples = Object.values(requestBody?.content["application/json"]?.examples ?? {});
  if (examples.length < 2) return null;
  return (
    <details>
      <summary className="cursor-pointer font-medium">Bodies for other ends</summary>
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
