import { createTitleMetadata } from "@/app/language.ts";
import { ProblemTable } from "@/components/problems/problem-table.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { describeAllProblems } from "@/lib/contract/problems/describe-problem.ts";
import { resolveProblemPageMessages } from "./messages.ts";

export const generateMetadata = createTitleMetadata("problems");

export default async function Page() {
  const { messages, translations } = await resolveProblemPageMessages();
  return <ProblemTable problems={describeAllProblems(BASE_PATH)} messages={messages} titles={translations} />;
}
