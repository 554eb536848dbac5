"use client";

import { docs } from "@/lib/i18n/en/docs.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import type { Answer, Media, OpenApiDocument, Operation } from "@/lib/reference/document.ts";
import { CodeBlock } from "./code-block.tsx";
import { English } from "./english.tsx";
import { FieldTable, fieldsOf } from "./field-table.tsx";
import { Prose } from "./prose.tsx";

interface AnswersProps {
  operation: Operation;
  document: OpenApiDocument;
}

/** What comes back: what went well as it is, what did not with what to do about it. */
export function Answers({ operation, document }: AnswersProps) {
  const words = useWords(docs);
  const answers = Object.entries(operation.responses);
  const problems = answers.filter(([status]) => Number(status) >= 400);
  return (
    <>
      {answers
        .filter(([status]) => Number(status) < 400)
        .map(([status, answer]) => (
          <Success
            key={status}
            status={status}
            answer={answer}
            document={document}
            name={operation.operationId}
          />
        ))}
      <details>
        <summary className="cursor-pointer font-medium">
          {`${words.errors} `}
          <span className="font-mono text-xs font-normal text-ink-3">
            {problems.map(([status]) => status).join(" ")}
          </span>
        </summary>
        <dl className="mt-1 border-t border-line-soft">
          {problems.map(([status, { description }]) => (
            <div
              key={status}
              className="grid gap-x-4 border-b border-line-soft py-1.5 sm:grid-cols-[60px_minmax(0,1fr)]"
            >
              <dt className="font-mono text-xs font-medium">{status}</dt>
              <dd>
                <English>
                  <Prose text={description} />
                </English>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

interface SuccessProps {
  status: string;
  answer: Answer;
  document: OpenApiDocument;
  name: string;
}

function Success({ status, answer, document, name }: SuccessProps) {
  const words = useWords(docs);
  const [type, media] = Object.entries(answer.content ?? {})[0] ?? [];
  return (
    <div className="flex flex-col gap-2">
      <h4 className="font-medium">
        {`${words.answer} `}
        <span className="font-mono text-xs font-normal text-ink-3">
          {status} {type}
        </span>
      </h4>
      <English>
        <Prose text={answer.description} />
      </English>
      {media?.example !== undefined && <CodeBlock label={words.answerOf(name)} text={exampleText(media)} />}
      {media?.schema !== undefined && <Members media={media} document={document} />}
      {media?.["x-events"] !== undefined && <Messages media={media} />}
    </div>
  );
}

function exampleText({ example }: Media): string {
  return typeof example === "string" ? example : JSON.stringify(example, null, 2);
}

function Members({ media: { schema = {} }, document }: { media: Media; document: OpenApiDocument }) {
  const words = useWords(docs);
  const fields = fieldsOf(document, schema);
  if (fields.length === 0) return null;
  return (
    <details>
      <summary className="cursor-pointer font-medium">{words.members}</summary>
      <FieldTable fields={fields} document={document} />
    </details>
  );
}

function Messages({ media }: { media: Media }) {
  return (
    <dl className="border-t border-line-soft">
      {Object.entries(media["x-events"] ?? {}).map(([name, { description }]) => (
        <div
          key={name}
          className="grid gap-x-4 border-b border-line-soft py-1.5 sm:grid-cols-[140px_minmax(0,1fr)]"
        >
          <dt translate="no" className="font-mono text-xs font-medium">
            {name}
          </dt>
          <dd>
            <English>
              <Prose text={description} />
            </English>
          </dd>
        </div>
      ))}
    </dl>
  );
}
