import { Inline } from "@/components/docs/prose.tsx";
import { EnglishText } from "@/components/docs/reference-text.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import type { ProblemDescription } from "@/lib/contract/problems/describe-problem.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { ProblemFrame } from "./problem-frame.tsx";

interface ProblemTableProps {
  problems: readonly ProblemDescription[];
  messages: Messages["problemPages"];
  /** Translated titles and remedies by problem code; `null` if the page is in English. */
  titles: Messages["problems"]["translations"];
}

const CELL_CLASS = "border-t border-line-soft px-2 py-1.5 align-top first:pl-0 last:pr-0";

/** Lists all problem codes, ordered by HTTP status. */
export function ProblemTable({ problems, messages, titles }: ProblemTableProps) {
  const { title, intro, status, code, name, done, retry, outcomeLabels, retryLabels } = messages;
  return (
    <ProblemFrame>
      <div className="flex flex-col gap-1.5">
        <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
        <p className="max-w-[78ch] text-ink-2">
          <Inline text={intro} />
        </p>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard. */}
      <section aria-label={title} tabIndex={0} className="overflow-x-auto">
        <table className="w-full min-w-[720px] text-left">
          <thead>
            <tr className="text-2xs text-ink-3">
              {[status, code, name, done, retry].map((head) => (
                <th key={head} scope="col" className="px-2 pb-1 font-normal first:pl-0 last:pr-0">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {problems.map((problem) => (
              <tr key={problem.code}>
                <td className={`${CELL_CLASS} font-mono text-xs`}>{problem.status}</td>
                <td className={CELL_CLASS}>
                  <a
                    href={`${BASE_PATH}/problems/${problem.code}`}
                    translate="no"
                    className="font-mono text-xs text-accent hover:underline"
                  >
                    {problem.code}
                  </a>
                </td>
                <td className={CELL_CLASS}>
                  {titles === null ? (
                    <EnglishText>{problem.title}</EnglishText>
                  ) : (
                    titles.ofCode[problem.code].title
                  )}
                </td>
                <td className={CELL_CLASS}>{outcomeLabels[problem.outcome]}</td>
                <td className={CELL_CLASS}>{retryLabels[problem.retry]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </ProblemFrame>
  );
}
