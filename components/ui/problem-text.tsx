"use client";

import { ApiProblem, NetworkError } from "@/lib/api/request.ts";
import { type ProblemMessages, problems } from "@/lib/i18n/en/problems.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/** What went wrong, in the language of the page; where that is not English, with the server's own sentence below. */
export function ProblemText({ problem }: { problem: { message: string } }) {
  const { translations: problemTexts } = useMessages(problems);
  const text = problemTexts === null ? null : translateProblem(problem, problemTexts);
  if (text === null) return problem.message;
  return (
    <>
      {text}
      {problem instanceof ApiProblem && (
        <span lang="en" translate="no" className="block text-xs">
          {problem.message}
        </span>
      )}
    </>
  );
}

/** null: it is of a kind that has no words. */
function translateProblem(problem: unknown, { ofCode, ofNoResponse }: ProblemMessages): string | null {
  if (problem instanceof ApiProblem) {
    const { title, remedy } = ofCode[problem.code];
    return `${title}。${remedy}`;
  }
  if (!(problem instanceof NetworkError)) return null;
  return problem.reason === "status"
    ? ofNoResponse.status(problem.status ?? 0)
    : ofNoResponse[problem.reason];
}
