import type { ReactNode } from "react";
import { CodeBlock } from "@/components/docs/code-block.tsx";
import { Inline } from "@/components/docs/prose.tsx";
import { EnglishText } from "@/components/docs/reference-text.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import type { ProblemDescription } from "@/lib/contract/problems/describe-problem.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { ProblemFields } from "./problem-fields.tsx";
import { ProblemFrame } from "./problem-frame.tsx";

interface ProblemArticleProps {
  problem: ProblemDescription;
  messages: Messages["problemPages"];
  /** Translated titles and remedies by problem code; `null` if the page is in English. */
  translations: Messages["problems"]["translations"];
}

/** Renders the page of a problem code. The `type` of problems with this code links to the page. */
export function ProblemArticle({ problem, messages, translations }: ProblemArticleProps) {
  const { code, status, title, meaning, outcome, retry, remedy, fields, example } = problem;
  const translation = translations?.ofCode[code];
  return (
    <ProblemFrame>
      <p>
        <a href={`${BASE_PATH}/problems`} className="text-accent hover:underline">
          {messages.allCodes}
        </a>
      </p>
      <div className="flex flex-col gap-1">
        <h1 className="text-lg font-semibold tracking-tight">
          {translation?.title ?? <EnglishText>{title}</EnglishText>}
        </h1>
        <p translate="no" className="font-mono text-xs text-ink-2">
          {`${status} ${code}`}
        </p>
        {messages.isEnglish !== null && <p className="text-ink-3">{messages.isEnglish}</p>}
      </div>
      <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-[160px_minmax(0,1fr)]">
        <Fact name={messages.whatHappened}>
          <EnglishText>
            <Inline text={meaning} />
          </EnglishText>
        </Fact>
        <Fact name={messages.done}>{messages.outcomes[outcome]}</Fact>
        <Fact name={messages.retry}>
          {messages.retries[retry]} {problem.hasRetryAfter && <Inline text={messages.retryAfter} />}
        </Fact>
        <Fact name={messages.whatToDo}>
          {translation !== undefined && <p>{translation.remedy}</p>}
          <EnglishText>
            <Inline text={remedy} />
          </EnglishText>
        </Fact>
      </dl>
      <section aria-labelledby="fields" className="flex flex-col gap-1.5">
        <h2 id="fields" className="font-semibold">
          {messages.fields}
        </h2>
        <ProblemFields fields={fields} messages={messages} />
      </section>
      <section aria-labelledby="example" className="flex flex-col gap-1.5">
        <h2 id="example" className="font-semibold">
          {messages.example}
        </h2>
        <p className="text-ink-2">
          <Inline text={messages.exampleNote} />
        </p>
        <CodeBlock label={messages.example} text={JSON.stringify(example, null, 2)} />
      </section>
    </ProblemFrame>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="max-w-[78ch]">{children}</dd>
    </>
  );
}
