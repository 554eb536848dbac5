"use client";

import { ApiProblem, NetworkError } from "@/lib/api/request.ts";
import { type ProblemMessages, problems } from "@/lib/i18n/en/problems.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * Shows an error in the page's language if it has a translation, otherwise the original message. Below a translated API
 * error, also shows the server's English message.
 */
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

/** Returns the translation of a problem; `null` if there is none. */
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
