"use client";

import { ApiProblem, NoAnswer } from "@/lib/api/request.ts";
import { problems, type ToldProblems } from "@/lib/i18n/en/problems.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";

/** What went wrong, in the language of the page; where that is not English, with the server's own sentence below. */
export function ProblemText({ problem }: { problem: { message: string } }) {
  const { told } = useWords(problems);
  const text = told === null ? null : toldOf(problem, told);
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
function toldOf(problem: unknown, { ofCode, ofSilence }: ToldProblems): string | null {
  if (problem instanceof ApiProblem) {
    const { title, remedy } = ofCode[problem.code];
    return `${title}。${remedy}`;
  }
  if (!(problem instanceof NoAnswer)) return null;
  return problem.why === "status" ? ofSilence.status(problem.status ?? 0) : ofSilence[problem.why];
}
