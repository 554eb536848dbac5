"use client";

import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type {
  MediaObject,
  OpenApiDocument,
  ReferenceOperation,
  ResponseObject,
} from "@/lib/reference/document.ts";
import { CodeBlock } from "./code-block.tsx";
import { FieldTable, listSchemaFields } from "./field-table.tsx";
import { Prose } from "./prose.tsx";
import { ReferenceText } from "./reference-text.tsx";

interface ResponseListProps {
  operation: ReferenceOperation;
  document: OpenApiDocument;
}

/** Lists the successful responses of an operation with their fields, and its error responses with their remedies. */
export function ResponseList({ operation, document }: ResponseListProps) {
  const messages = useMessages(docs);
  const responses = Object.entries(operation.responses);
  const problems = responses.filter(([status]) => Number(status) >= 400);
  return (
    <>
      {responses
        .filter(([status]) => Number(status) < 400)
        .map(([status, response]) => (
          <SuccessResponse
            key={status}
            status={status}
            response={response}
            document={document}
            name={operation.operationId}
          />
        ))}
      <details>
        <summary className="cursor-pointer font-medium">
          {`${messages.errors} `}
          <span className="font-mono text-sm font-normal text-ink-3">
            {problems.map(([status]) => status).join(" ")}
          </span>
        </summary>
        <dl className="mt-1 border-t border-line-soft">
          {problems.map(([status, { description }]) => (
            <div
              key={status}
              className="grid gap-x-4 border-b border-line-soft py-1.5 sm:grid-cols-[60px_minmax(0,1fr)]"
            >
              <dt className="font-mono text-sm font-medium">{status}</dt>
              <dd>
                <ReferenceText>
                  <Prose text={description} />
                </ReferenceText>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

interface SuccessResponseProps {
  status: string;
  response: ResponseObject;
  document: OpenApiDocument;
  name: string;
}

function SuccessResponse({ status, response, document, name }: SuccessResponseProps) {
  const messages = useMessages(docs);
  const [type, media] = Object.entries(response.content ?? {})[0] ?? [];
  return (
    <div className="flex flex-col gap-2">
      <h4 className="font-medium">
        {`${messages.response} `}
        <span className="font-mono text-sm font-normal text-ink-3">
          {status} {type}
        </span>
      </h4>
      <ReferenceText>
        <Prose text={response.description} />
      </ReferenceText>
      {media?.example !== undefined && (
        <CodeBlock label={messages.responseOf(`${name} ${status}`)} text={formatExample(media)} />
      )}
      {media?.schema !== undefined && <SchemaFields media={media} document={document} />}
      {media?.["x-events"] !== undefined && <StreamMessages media={media} />}
    </div>
  );
}

function formatExample({ example }: MediaObject): string {
  return typeof example === "string" ? example : JSON.stringify(example, null, 2);
}

function SchemaFields({
  media: { schema = {} },
  document,
}: {
  media: MediaObject;
  document: OpenApiDocument;
}) {
  const messages = useMessages(docs);
  const fields = listSchemaFields(document, schema);
  if (fields.length === 0) return null;
  return (
    <details>
      <summary className="cursor-pointer font-medium">{messages.members}</summary>
      <FieldTable fields={fields} document={document} />
    </details>
  );
}

function StreamMessages({ media }: { media: MediaObject }) {
  return (
    <dl className="border-t border-line-soft">
      {Object.entries(media["x-events"] ?? {}).map(([name, { description }]) => (
        <div
          key={name}
          className="grid gap-x-4 border-b border-line-soft py-1.5 sm:grid-cols-[140px_minmax(0,1fr)]"
        >
          <dt translate="no" className="font-mono text-sm font-medium">
            {name}
          </dt>
          <dd>
            <ReferenceText>
              <Prose text={description} />
            </ReferenceText>
          </dd>
        </div>
      ))}
    </dl>
  );
}
